"""Every string a person reads."""

"""The dashboard over privcore."""

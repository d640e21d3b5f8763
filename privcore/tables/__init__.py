"""Reading a table strictly: CSV and its relatives, Excel, Parquet; what is doubtful is a problem, never a guess.

Everything here speaks to the owner of the file: problems quote lines and cells, so they are private.
"""

from privcore.tables.problems import Problem
from privcore.tables.read import Source, read_table
from privcore.tables.table import Column, Table

__all__ = ["Column", "Problem", "Source", "Table", "read_table"]

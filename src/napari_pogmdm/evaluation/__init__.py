"""How good images are: cases, tables, tuning, uncertainty, other toolboxes."""

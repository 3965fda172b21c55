"""How good is it: cases, tables, tuning, uncertainty, other toolboxes."""

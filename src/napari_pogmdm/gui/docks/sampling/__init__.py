"""Which samples are measured, by a rule or drawn by hand."""

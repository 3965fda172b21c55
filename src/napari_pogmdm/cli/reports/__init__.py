"""What ``evaluate`` writes: rows that are kept, tables, box plots, pages of images, the paper's layout."""

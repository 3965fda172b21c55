"""Which samples are measured: rules, and how a mask was made."""

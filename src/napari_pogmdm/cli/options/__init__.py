"""Options that commands share, and groups of options that a command takes whole."""

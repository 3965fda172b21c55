"""Where coils come from."""

"""Small Qt widgets that know nothing of the session."""

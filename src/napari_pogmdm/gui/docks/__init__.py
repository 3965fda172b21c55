"""The docks of the window, one family a file; they talk to the session, never to each other."""

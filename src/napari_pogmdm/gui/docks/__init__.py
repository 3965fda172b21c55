"""The ten docks, a folder each; they share the session and never import each other."""

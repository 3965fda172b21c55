"""What the docks share: workbench, session, loader, player; no widgets."""

"""What the docks share: session, loader, runner, player; no widgets."""

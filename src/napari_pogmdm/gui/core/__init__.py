"""What the workbench owns: session, loader, runner, player; no widgets."""

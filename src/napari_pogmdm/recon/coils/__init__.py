"""Where coil sensitivities come from, and how good they are."""

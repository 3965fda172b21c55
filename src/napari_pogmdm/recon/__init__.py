"""From measured data back to image and coil sensitivities."""

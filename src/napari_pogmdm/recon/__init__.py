"""From measured data back to image and coils: measurement, methods, result, record, metrics."""

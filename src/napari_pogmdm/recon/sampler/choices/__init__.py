"""Settings that a scan chooses for itself, judged by samples of single coils that were left out of short trials."""

"""The machine: threads, memory, device."""

"""Networks with faults between outplay and a system."""

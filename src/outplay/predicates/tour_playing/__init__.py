"""A tour played: planned again after what was answered, and told afterwards."""

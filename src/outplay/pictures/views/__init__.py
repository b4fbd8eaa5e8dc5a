"""Views of a model: its nodes and edges, a part of them, many as one, or a summary; and the runs of a trace."""

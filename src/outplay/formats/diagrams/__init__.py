"""Diagrams: models in Graphviz DOT, read and written, and in Mermaid, written only."""

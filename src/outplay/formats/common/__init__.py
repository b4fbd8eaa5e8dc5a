"""The tools that all formats read and write with: texts with places, limits, numbers, labels, JSON, XML, writing."""

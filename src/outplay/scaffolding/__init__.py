"""Files that outplay writes into the folder of a user: a project to start from."""

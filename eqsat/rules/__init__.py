"""What is equal to what: one file per idea, one line per rule; a file here is found because it is here."""

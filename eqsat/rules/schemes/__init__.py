"""Laws that hold for every op with a declared property: one file per kind of law, one scheme per law."""

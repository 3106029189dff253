"""Programs for other libraries: their modules, whose names are looked up in eqsat."""

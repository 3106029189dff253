"""The e-graph: graphs into tables, rules into egglog text, saturation within a budget, tables back into graphs."""

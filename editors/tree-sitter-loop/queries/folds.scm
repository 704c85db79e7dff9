[(node) (block) (record_fields) (inner_graph) (values) (state) (input) (budgets) (types) (texts) (actions) (output)] @fold

; Names follow nvim-treesitter and Helix. A later pattern decides.

(comment) @comment
(identifier) @variable
(number) @number
(string) @string
(template (string) @string.special)
(constant "null" @constant.builtin)
(constant ["true" "false"] @boolean)

["if" "else"] @keyword.conditional
["for" "in"] @keyword.repeat
["let" "spend" "by" "emit" "fail" "where" "precedes" "never" "always" "eventually" "is" "when" "on" "do" "outer" "open" "file"] @keyword

; Keys, and the words of sections.
(key key: _ @property)
(setting key: _ @keyword)
(migration key: _ @property)
(start key: _ @keyword)
(pause key: _ @keyword)
(pause_part key: _ @property)
(nodes key: _ @keyword)
(types key: _ @keyword)
(errors key: _ @keyword)
(input key: _ @keyword)
(state key: _ @keyword)
(budgets key: _ @keyword)
(budget_key key: _ @property)
(lets key: _ @keyword)
(actions key: _ @keyword)
(roles key: _ @keyword)
(texts key: _ @keyword)
(text_here key: _ @keyword)
(output key: _ @keyword)
(properties key: _ @keyword)
(views key: _ @keyword)
(view_key key: _ @property)
(retry_key key: _ @property)
(branch_key key: _ @property)
(edge "ignore" @keyword)

(node kind: _ @keyword.type)
(node name: (identifier) @label)
(edge target: (identifier) @label)
(start target: (identifier) @label)
(trigger name: (identifier) @constant)
(emit_statement name: (identifier) @constant)
(fail_statement error: (identifier) @constant)
(error name: (identifier) @constant)
(enum_type member: (identifier) @constant)

(dotted_name) @constant
(tool_name) @function
(rule_name) @constant

(type_declaration name: (identifier) @type.definition)
(type (identifier) @type)
(type ["int" "string"] @type.builtin)
(int_range "int" @type.builtin)
(string_limit "string" @type.builtin)
(list_type "list" @type.builtin)
(map_type "map" @type.builtin)
(enum_type "enum" @type.builtin)
(outputs_type "outputs" @type.builtin)
(record type: (identifier) @type)
((type (identifier) @type.builtin)
  (#any-of? @type.builtin "bool" "float" "usd" "duration" "any"))

(call function: (identifier) @function.call)
(method_call method: (identifier) @function.method.call)
(action_call action: (identifier) @function.call)
(action_declaration name: (identifier) @function)
(let name: (identifier) @function)
(let parameter: (identifier) @variable.parameter)
(field name: (identifier) @variable.member)
(member_expression field: (identifier) @variable.member)
(place field: (identifier) @variable.member)
(record_field name: (identifier) @variable.member)
(named_value name: (identifier) @variable.member)
(budget name: (identifier) @variable.member)

["->" "=" "+=" "==" "!=" "<" "<=" ">" ">=" "+" "-" "*" "/" "%" "!" "&&" "||" "??" "?" ".."] @operator
["{" "}" "(" ")" "[" "]"] @punctuation.bracket
["," ";" ":" "."] @punctuation.delimiter

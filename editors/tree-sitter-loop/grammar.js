/**
 * The grammar of `.loop` files, beside `grammar/loop.pest` and `grammar/expr.pest`, which the program reads files by. A
 * test holds that both accept the same files.
 *
 * White space, line ends and comments may stand between any two tokens. Where the program looks at them (a value begins on
 * the line of its key, `(` on that of a name), a token of `src/scanner.c` stands here. Many of them have no width: the scanner
 * looks ahead, and says by one that what may follow does follow, or that something ends.
 *
 * `_end` and `_value_end` say no more than that nothing goes on with what stands before. Because of them it does not matter to
 * the tables of the parser where a value or a declaration stands, which makes them less than half as large.
 */

/// <reference types="tree-sitter-cli/dsl" />

// From the weakest to the strongest; all group to the left but `? :`.
const PRECEDENCE = { conditional: 1, fallback: 2, or: 3, and: 4, compare: 5, add: 6, multiply: 7, unary: 8, member: 9 };

// Any number of `,` and `;` stands between the entries of a block.
const between = () => repeat(choice(',', ';'));
const block = (entry) => seq('{', between(), repeat(seq(entry, between())), '}');
const list = (item) => seq('[', optional(items(item)), ']');
const items = (item) => seq(item, repeat(seq(',', item)), optional(','));
const sign = () => choice('=', ':');

// A key and its value, which begins on the same line.
const key = ($, word, value) => seq(field('key', word), is($), field('value', value));
const is = ($) => seq($._same_line, optional(seq(':', $._after_colon)));

// A section: one declaration on the line of its word, or a block, which may begin on the next.
const section = ($, word, entry) =>
  seq(
    field('key', word),
    choice(block(entry), seq($._declared, choice(entry, seq(':', choice(block(entry), seq($._declared, entry)))))),
  );

export default grammar({
  name: 'loop',

  word: ($) => $.identifier,

  extras: ($) => [/[ \t\r\n]/, $.comment],

  // In the order of `src/scanner.c`.
  externals: ($) => [
    $.string,
    $._line_string,
    $._colon_string,
    $.number,
    $._bound,
    $._count,
    $.dotted_name,
    $.tool_name,
    $.rule_name,
    $._same_line,
    $._after_colon,
    $._declared,
    $._not_brace,
    $._line_word,
    $._line_colon,
    $._fields_follow,
    $._record_follows,
    $._call_open,
    $._index_open,
    $._minus,
    $._nullable,
    $._in,
    $._is,
    $._where,
    $._by,
    $._tool_node,
    $._text_here,
    $._line_ignore,
    $._outer,
    $._on,
    $._when,
    $._do,
    $._target,
    $._assigns,
    $._calls,
    $._payload,
    $._message,
    $._pause_goes_on,
    $._value_end,
    $._end,
    $._graph_end,
    $._statement_end,
    $._alone,
    $._head_end,
    $._line_end,
    // Used by no rule: it is valid only while the parser recovers from an error.
    $._recovering,
  ],

  supertypes: ($) => [$.expression, $.statement],

  rules: {
    source_file: ($) => $._graph,
    _graph: ($) => seq(repeat(choice(';', $._declaration)), $._graph_end),

    comment: () => token(seq('#', /[^\n]*/)),
    identifier: () => /[a-z_][A-Za-z0-9_]*/,
    // The name of a record begins with an upper-case letter.
    _upper: () => /[A-Z][A-Za-z0-9_]*/,
    _name: ($) => choice($.identifier, alias($._upper, $.identifier)),
    _one: ($) => choice($.dotted_name, $.string),

    // ---- declarations

    _declaration: ($) => choice($.node, seq($._section, $._end)),
    _section: ($) =>
      choice(
        $.setting,
        $.start,
        $.pause,
        $.nodes,
        $.types,
        $.errors,
        $.input,
        $.state,
        $.budgets,
        $.lets,
        $.actions,
        $.roles,
        $.texts,
        $.output,
        $.properties,
        $.views,
      ),

    setting: ($) =>
      choice(
        key($, 'graph', $._one),
        key($, choice('title', 'doc', 'version', 'extends'), $.string),
        key($, 'use', choice($.string, $.list_of_paths)),
        section($, 'ignore', $.ignored),
        $._migrate,
      ),
    _migrate: ($) =>
      seq(
        field('key', 'migrate'),
        choice(block($.migration), seq($._declared, ':', block($.migration))),
      ),
    migration: ($) =>
      choice(
        key($, 'graph', $._one),
        seq(
          field('key', choice('fields', 'nodes', 'budgets')),
          choice(block($.rename), seq($._declared, ':', block($.rename))),
        ),
      ),
    rename: ($) => seq(field('earlier', $._name), sign(), field('now', $._name)),
    ignored: ($) => seq(field('rule', $.rule_name), $._same_line, optional(seq(sign(), $._after_colon)), field('reason', $.string)),

    start: ($) => key($, 'start', seq(field('target', $._name), optional($._label))),
    _label: ($) => field('label', alias($._line_string, $.string)),
    pause: ($) =>
      key($, 'pause', choice(block($.pause_part), seq($.pause_part, repeat(seq($._pause_goes_on, $.pause_part))))),
    pause_part: ($) => choice(key($, 'when', $._value), key($, 'ask', $._shown)),
    // A text that stands here, the name of one, or an expression.
    _shown: ($) => choice($.text_here, $._value),
    text_here: ($) =>
      seq($._text_here, choice(seq(field('key', 'text'), field('template', $.template)), seq(field('key', 'file'), field('file', $.string)))),

    types: ($) => section($, choice('types', 'type'), $.type_declaration),
    type_declaration: ($) =>
      seq(
        choice(field('name', $._type_word), seq('open', $._line_word, field('name', $._name))),
        choice($.record_fields, seq(sign(), choice($.record_fields, seq($._declared, field('type', $.type))))),
      ),
    _type_word: ($) => choice($._name, alias('open', $.identifier)),
    record_fields: ($) => block($.field),
    field: ($) =>
      seq(
        field('name', $._name),
        ':',
        $._after_colon,
        field('type', $.type),
        optional(seq('=', field('default', $._value))),
        optional(seq($._where, 'where', field('condition', $._value))),
      ),

    errors: ($) => section($, choice('errors', 'error'), $.error),
    error: ($) => seq(field('name', $._name), is($), field('class', $._one)),

    input: ($) => section($, 'input', $.field),
    state: ($) => section($, 'state', $.field),

    budgets: ($) => section($, choice('budgets', 'budget'), $.budget),
    // Where `budget` alone begins nothing.
    _budgets_key: ($) => section($, 'budgets', $.budget),
    budget: ($) =>
      seq(
        field('name', $._name),
        choice(
          seq(
            optional(seq(sign(), $._after_colon, $._not_brace, field('limit', $._value))),
            repeat($.budget_key),
            choice(block($.budget_key), $._alone),
          ),
          seq(sign(), $._after_colon, block($.budget_key)),
        ),
      ),
    budget_key: ($) =>
      choice(
        key($, choice('limit', 'grace', 'each'), $._value),
        key($, choice('gate', 'unit', 'charge', 'as'), $._one),
        section($, 'meters', $.budget),
      ),

    lets: ($) => section($, 'let', $.let),
    let: ($) =>
      seq(
        field('name', $._name),
        optional(seq(alias($._call_open, '('), optional(items(field('parameter', $._name))), ')')),
        sign(),
        field('value', $._value),
      ),

    actions: ($) => section($, 'actions', $.action_declaration),
    action_declaration: ($) => seq(field('name', $._name), is($), field('body', $.block)),

    roles: ($) =>
      choice(
        section($, choice('roles', 'role'), $.role),
        seq(field('key', 'roles'), $._declared, optional(seq(':', $._declared)), $.list_of_names),
      ),
    role: ($) =>
      seq(
        field('name', $._name),
        optional(
          choice(
            field('title', alias($._line_string, $.string)),
            seq(alias($._line_colon, ':'), optional(field('title', alias($._colon_string, $.string)))),
          ),
        ),
      ),

    texts: ($) => section($, choice('texts', 'text'), $.text),
    text: ($) =>
      seq(field('name', $._name), is($), choice(field('template', $.template), seq('file', is($), field('file', $.string)))),
    // The text of a prompt, with `{{ }}` and `{% %}` inside.
    template: ($) => $.string,

    output: ($) => section($, 'output', $.named_value),
    named_value: ($) => seq(field('name', $._name), sign(), field('value', $._value)),

    properties: ($) => section($, choice('properties', 'property'), $.property),
    property: ($) =>
      seq(
        field('name', $._name),
        optional(sign()),
        choice(
          seq(choice('never', 'always', 'eventually'), $._value),
          seq($._value, 'precedes', $._value),
        ),
      ),

    views: ($) => section($, choice('views', 'view'), $.view),
    view: ($) =>
      seq(
        field('name', $._name),
        optional(alias($._line_colon, ':')),
        repeat($.view_key),
        choice(block($.view_key), $._alone),
      ),
    view_key: ($) =>
      choice(
        key($, choice('as', 'flat', 'errors', 'direction'), $._one),
        key($, 'open', choice($.list_of_names, $._one)),
      ),

    // ---- nodes

    nodes: ($) => key($, 'nodes', seq('{', repeat(choice(';', $.node)), '}')),

    node: ($) => seq(node($, 'tool'), $._end),
    _patch_node: ($) => seq(node($, seq($._tool_node, 'tool')), $._end),
    _head: ($) => seq($._same_line, field('name', $._name), optional($._label), repeat($._any_key)),
    // Edges in place of a body. Nothing follows them on their line.
    _line_edges: ($) => seq(repeat1($.edge), $._line_end),

    body: ($) => body($, $._any_key),
    _composite_body: ($) => body($, $._own_key, seq(alias($._marked_tool, $.key), $._end), $._inner, $.node),
    // That of a node whose kind is declared elsewhere.
    _patch_body: ($) => body($, $._own_key, $._tool_key, $._inner, alias($._patch_node, $.node)),
    _inner: ($) => seq(choice($.state, $.budgets), $._end),

    _any_key: ($) => choice($._own_key, $._tool_key, seq(choice($.state, alias($._budgets_key, $.budgets)), $._end)),
    _own_key: ($) => seq(choice($.key, $.start, $.pause, $.nodes), $._end),
    _tool_key: ($) => seq(alias($._tool, $.key), $._end),
    _tool: ($) => key($, 'tool', choice($.tool_name, $.string)),
    // In a composite `tool name` begins a node.
    _marked_tool: ($) =>
      seq(
        field('key', 'tool'),
        $._same_line,
        field('value', choice($.string, seq(':', $._after_colon, choice($.tool_name, $.string)))),
      ),

    key: ($) =>
      choice(
        key($, choice('kind', 'role', 'stream', 'merge', 'as', 'on_error', 'delivery', 'cache', 'new'), $._one),
        key($, choice('allow', 'offer', 'options'), choice($.list_of_tools, $.tool_name, $.string)),
        key($, choice('title', 'doc'), $.string),
        $._callee,
        key($, choice('output', 'answer'), $.type),
        $._into,
        key($, choice('args', 'limits'), $._values),
        $._with,
        key($, choice('then', 'do'), $.block),
        key($, 'next', seq('{', repeat(choice(';', $.edge)), '}')),
        key($, 'retry', choice(block($.retry_key), seq($._not_brace, $._value))),
        section($, 'branches', $.branch),
        section($, 'ignore', $.ignored),
        key($, choice('system', 'prompt', 'ask'), $._shown),
        key(
          $,
          choice(
            'role_of',
            'tool_of',
            'offer_of',
            'messages',
            'over',
            'at_once',
            'limit',
            'timeout',
            'delay',
            'outcome',
            'ok',
          ),
          $._value,
        ),
      ),
    _into: ($) => key($, 'into', $.place),
    _with: ($) => key($, 'with', $._values),
    retry_key: ($) =>
      choice(
        key($, choice('attempts', 'first', 'factor', 'max', 'jitter'), $._value),
        key($, 'on', choice($.list_of_names, $._one)),
      ),
    branch: ($) =>
      seq(
        field('name', $._name),
        optional(alias($._line_colon, ':')),
        repeat($.branch_key),
        choice(block($.branch_key), $._alone),
      ),
    branch_key: ($) => choice($._callee, $._with, $._into),

    // The graph that runs, or those that an expression chooses from.
    _callee: ($) =>
      choice(
        key($, 'graph', choice($.string, $.inner_graph)),
        key($, 'graphs', choice($.string, $.list_of_paths, block($.candidate))),
        key($, 'graph_of', $._value),
      ),
    candidate: ($) => seq(field('name', $._name), is($), choice($.string, $.inner_graph)),
    inner_graph: ($) => seq('{', $._graph, '}'),

    // What begins like values by name is no map.
    _values: ($) => choice($.values, $._value),
    values: ($) => seq($._fields_follow, '{', between(), repeat(seq($.named_value, between())), '}'),
    list_of_names: ($) => list(choice($._name, $.string)),
    list_of_tools: ($) => list(choice($.tool_name, $.string)),
    list_of_paths: ($) => list($.string),

    // ---- edges

    edge: ($) =>
      seq(
        '->',
        $._target,
        field('target', $._name),
        optional($._label),
        optional(section($, seq($._line_ignore, 'ignore'), $.ignored)),
        optional(seq($._outer, 'outer', $._same_line, field('outer', $.string))),
        optional(seq($._on, 'on', $._same_line, choice($.trigger, $.triggers))),
        optional(seq($._when, 'when', $._same_line, field('guard', $._value))),
        optional(seq($._do, 'do', $._same_line, field('action', $.block))),
        $._end,
      ),
    triggers: ($) => list($.trigger),
    trigger: ($) => seq(field('name', $._name), optional(seq(alias($._call_open, '('), $.expression, ')'))),

    // ---- statements

    block: ($) => seq('{', repeat(choice(';', $.statement)), '}'),
    statement: ($) =>
      choice(
        $.assignment,
        $.action_call,
        $.let_statement,
        $.spend_statement,
        $.emit_statement,
        $.fail_statement,
        $.if_statement,
        $.for_statement,
      ),
    assignment: ($) =>
      seq($._assigns, field('place', $.place), choice('=', '+='), field('value', $._value), $._statement_end),
    action_call: ($) => seq($._calls, field('action', $._name), alias($._call_open, '('), ')', $._statement_end),
    let_statement: ($) => seq('let', field('name', $._name), '=', field('value', $._value), $._statement_end),
    spend_statement: ($) =>
      seq(
        'spend',
        $._same_line,
        field('budget', $.place),
        optional(seq($._by, 'by', field('amount', $._value))),
        $._statement_end,
      ),
    emit_statement: ($) =>
      seq(
        'emit',
        $._same_line,
        field('name', $._name),
        optional(seq($._payload, field('payload', $._value))),
        $._statement_end,
      ),
    fail_statement: ($) =>
      seq(
        'fail',
        $._same_line,
        field('error', $._name),
        optional(seq($._message, field('message', $._value))),
        $._statement_end,
      ),
    if_statement: ($) =>
      seq(
        'if',
        field('condition', $._value),
        field('then', $.block),
        repeat(seq('else', 'if', field('condition', $._value), field('then', $.block))),
        optional(seq('else', field('else', $.block))),
      ),
    for_statement: ($) =>
      seq(
        'for',
        field('variable', $._name),
        optional(seq(',', field('variable', $._name))),
        'in',
        field('list', $._value),
        field('body', $.block),
      ),
    place: ($) =>
      seq(
        $._name,
        repeat(choice(seq('.', field('field', $._name)), seq(alias($._index_open, '['), $.expression, ']'))),
      ),

    // ---- types

    type: ($) =>
      seq(
        choice($._name, 'int', 'string', $.int_range, $.string_limit, $.list_type, $.map_type, $.enum_type, $.outputs_type),
        optional(alias($._nullable, '?')),
      ),
    int_range: ($) =>
      seq('int', alias($._call_open, '('), alias($._bound, $.number), '..', alias($._bound, $.number), ')'),
    string_limit: ($) => seq('string', $._limit),
    _limit: ($) => seq(alias($._call_open, '('), alias($._count, $.number), ')'),
    list_type: ($) => seq('list', $._same_line, '<', $.type, '>', optional($._limit)),
    map_type: ($) => seq('map', $._same_line, '<', $.type, '>'),
    enum_type: ($) => seq('enum', alias($._call_open, '('), items(field('member', $._name)), ')'),
    outputs_type: ($) => seq('outputs', alias($._call_open, '('), $.string, ')'),

    // ---- expressions

    expression: ($) =>
      choice(
        $._name,
        $.constant,
        $.number,
        $.string,
        $.parenthesized_expression,
        $.list,
        $.map,
        $.record,
        $.type_test,
        $.call,
        $.member_expression,
        $.method_call,
        $.index_expression,
        $.unary_expression,
        $.binary_expression,
        $.conditional_expression,
      ),
    // One that ends where nothing goes on with it.
    _value: ($) => seq($.expression, $._value_end),
    constant: () => choice('true', 'false', 'null'),
    parenthesized_expression: ($) => seq('(', $.expression, ')'),
    list: ($) => list($.expression),
    map: ($) => seq('{', optional(items($.entry)), '}'),
    entry: ($) => seq(field('key', $.expression), ':', field('value', $.expression)),
    record: ($) =>
      seq(
        field('type', alias($._upper, $.identifier)),
        $._record_follows,
        '{',
        optional(items($.record_field)),
        '}',
      ),
    record_field: ($) => seq(field('name', $._name), ':', field('value', $.expression)),
    type_test: ($) => seq($._is, 'is', '(', $.expression, ',', $.type, optional(','), ')'),
    call: ($) => seq(field('function', $._name), $._arguments),
    _arguments: ($) => seq(alias($._call_open, '('), optional(items($.expression)), ')'),
    member_expression: ($) => prec(PRECEDENCE.member, seq($.expression, '.', field('field', $._name))),
    method_call: ($) => prec(PRECEDENCE.member, seq($.expression, '.', field('method', $._name), $._arguments)),
    index_expression: ($) => prec(PRECEDENCE.member, seq($.expression, alias($._index_open, '['), $.expression, ']')),
    unary_expression: ($) => prec(PRECEDENCE.unary, seq(choice('!', '-'), $.expression)),
    binary_expression: ($) =>
      choice(
        ...[
          ['??', PRECEDENCE.fallback],
          ['||', PRECEDENCE.or],
          ['&&', PRECEDENCE.and],
          [choice('==', '!=', '<', '<=', '>', '>=', seq($._in, 'in')), PRECEDENCE.compare],
          [choice('+', alias($._minus, '-')), PRECEDENCE.add],
          [choice('*', '/', '%'), PRECEDENCE.multiply],
        ].map(([operator, weight]) => prec.left(weight, seq($.expression, field('operator', operator), $.expression))),
      ),
    conditional_expression: ($) =>
      prec.right(PRECEDENCE.conditional, seq($.expression, '?', $.expression, ':', $.expression)),
  },
});

// A node: its kind, its name, keys on the line of the name, and then a body, edges, or nothing.
function node($, tool) {
  const kind = choice('action', 'choice', 'model', tool, 'human', 'call', 'each', 'parallel', 'wait', 'final');
  const rest = (own) => choice(field('body', own), $._line_edges, $._head_end);
  return choice(
    seq(field('kind', 'composite'), $._head, rest(alias($._composite_body, $.body))),
    seq(field('kind', 'node'), $._head, rest(alias($._patch_body, $.body))),
    seq(field('kind', kind), $._head, rest($.body)),
  );
}

// Statements, keys and inner nodes come first, edges last.
function body($, ...parts) {
  return seq('{', repeat(choice(';', $.statement, ...parts)), repeat(seq($.edge, repeat(';'))), '}');
}

//! The filters, tests and functions of templates, each with an example: for the reference, and for hints.

/// A filter, test or function of templates.
#[derive(Debug, Clone, Copy)]
pub struct TemplateItem {
    /// The name as it is written.
    pub name: &'static str,
    /// One line on its result.
    pub doc: &'static str,
    /// A template that uses it.
    pub example: &'static str,
    /// The text that the template renders to.
    pub gives: &'static str,
}

/// One line an item: name, doc, example, its result.
macro_rules! items {
    ($($name:literal: $doc:literal, $example:literal => $gives:literal;)*) => {
        &[$(TemplateItem { name: $name, doc: $doc, example: $example, gives: $gives }),*]
    };
}

/// The filters.
#[rustfmt::skip]
pub const FILTERS: &[TemplateItem] = items! {
    "abs": "The number without its sign.", "{{ -3 | abs }}" => "3";
    "attr": "A field by a computed name.", "{{ {'a': 1} | attr('a') }}" => "1";
    "batch": "The items in lists of a size.", "{{ [1, 2, 3] | batch(2) }}" => "[[1, 2], [3]]";
    "bool": "True unless the value is empty, 0 or null.", "{{ [] | bool }}" => "False";
    "capitalize": "The first letter in upper case, the others in lower case.", "{{ 'aBC' | capitalize }}" => "Abc";
    "chain": "Lists one after the other, or maps merged.", "{{ [1] | chain([2]) | list }}" => "[1, 2]";
    "count": "As `length`.", "{{ [1, 2] | count }}" => "2";
    "d": "As `default`.", "{{ {}.a | d('none') }}" => "none";
    "default": "Another value for a missing field; with `true` as second argument, also for null and empty values.", "{{ '' | default('none', true) }}" => "none";
    "dictsort": "The entries of a map in the order of their keys.", "{{ {'b': 2, 'a': 1} | dictsort }}" => "[('a', 1), ('b', 2)]";
    "e": "As `escape`.", "{{ '<' | e }}" => "&lt;";
    "escape": "The text with the signs of HTML written out.", "{{ '<' | escape }}" => "&lt;";
    "first": "The first item.", "{{ [1, 2] | first }}" => "1";
    "float": "The value as a float.", "{{ '1.5' | float }}" => "1.5";
    "format": "The text with `%s` and `%d` filled in.", "{{ '%s of %d' | format('a', 2) }}" => "a of 2";
    "groupby": "The items grouped by a field: pairs of the value and the items.", "{{ ([{'k': 'a'}, {'k': 'a'}] | groupby('k'))[0][1] | length }}" => "2";
    "indent": "The lines after the first indented by so many blanks.", "{{ 'a\nb' | indent(2) }}" => "a\n  b";
    "int": "The value as an integer.", "{{ '42' | int }}" => "42";
    "items": "The entries of a map as pairs.", "{{ {'a': 1} | items }}" => "[('a', 1)]";
    "join": "The items as one text, with a separator.", "{{ [1, 2] | join(', ') }}" => "1, 2";
    "last": "The last item.", "{{ [1, 2] | last }}" => "2";
    "length": "The number of characters, items or entries.", "{{ 'abc' | length }}" => "3";
    "lines": "The lines of a text.", "{{ 'a\nb' | lines }}" => "['a', 'b']";
    "list": "The value as a list: characters of a text, keys of a map.", "{{ 'ab' | list }}" => "['a', 'b']";
    "lower": "The text in lower case.", "{{ 'AB' | lower }}" => "ab";
    "map": "Each item put through a filter, or one of its fields.", "{{ [{'a': 1}] | map(attribute='a') | list }}" => "[1]";
    "max": "The greatest item.", "{{ [1, 3, 2] | max }}" => "3";
    "min": "The least item.", "{{ [1, 3, 2] | min }}" => "1";
    "pprint": "The value over several lines, for people.", "{{ 'a' | pprint }}" => "'a'";
    "reject": "The items that fail a test.", "{{ [1, 2] | reject('odd') | list }}" => "[2]";
    "rejectattr": "The items whose field fails a test.", "{{ [{'a': 1}] | rejectattr('a', 'odd') | list }}" => "[]";
    "replace": "The text with one piece replaced by another.", "{{ 'a.b' | replace('.', '-') }}" => "a-b";
    "reverse": "The characters or items in reverse order.", "{{ 'abc' | reverse }}" => "cba";
    "round": "The number rounded to so many places.", "{{ 1.256 | round(1) }}" => "1.3";
    "safe": "The value as it is: nothing is escaped in texts.", "{{ '<' | safe }}" => "<";
    "select": "The items that pass a test.", "{{ [1, 2] | select('odd') | list }}" => "[1]";
    "selectattr": "The items whose field passes a test.", "{{ [{'a': 1}] | selectattr('a', 'odd') | list | length }}" => "1";
    "slice": "The items in so many lists of about equal size.", "{{ [1, 2, 3] | slice(2) }}" => "[[1, 2], [3]]";
    "sort": "The items in ascending order; `attribute` names a field, `reverse=true` turns it.", "{{ [3, 1, 2] | sort }}" => "[1, 2, 3]";
    "split": "The parts of a text between separators.", "{{ 'a,b' | split(',') | list }}" => "['a', 'b']";
    "string": "The value as text.", "{{ (1 | string) ~ '!' }}" => "1!";
    "sum": "The sum of the items.", "{{ [1, 2] | sum }}" => "3";
    "title": "Each word with a capital.", "{{ 'a tall tower' | title }}" => "A Tall Tower";
    "tojson": "Canonical JSON; `indent=2` spreads it over lines.", "{{ {'b': 1, 'a': [2]} | tojson }}" => "{\"a\":[2],\"b\":1}";
    "trim": "The text without white space at its ends.", "{{ ' a ' | trim }}" => "a";
    "unique": "The items without repetitions.", "{{ [1, 2, 1] | unique | list }}" => "[1, 2]";
    "upper": "The text in upper case.", "{{ 'ab' | upper }}" => "AB";
    "zip": "Lists side by side, as tuples.", "{{ [1, 2] | zip(['a', 'b']) | list }}" => "[(1, 'a'), (2, 'b')]";
};

/// The tests, for `is` and `is not`.
#[rustfmt::skip]
pub const TESTS: &[TemplateItem] = items! {
    "boolean": "It is a boolean.", "{{ true is boolean }}" => "True";
    "defined": "The field or key exists.", "{{ {}.a is defined }}" => "False";
    "divisibleby": "The number can be divided by another.", "{{ 6 is divisibleby(3) }}" => "True";
    "endingwith": "The text ends with another.", "{{ 'abc' is endingwith('c') }}" => "True";
    "eq": "Both are equal; also `equalto` and `==`.", "{{ 1 is eq(1) }}" => "True";
    "equalto": "As `eq`.", "{{ 1 is equalto(2) }}" => "False";
    "even": "The number is even.", "{{ 2 is even }}" => "True";
    "false": "It is `false`.", "{{ false is false }}" => "True";
    "filter": "There is a filter of that name.", "{{ 'join' is filter }}" => "True";
    "float": "It is a float.", "{{ 1.5 is float }}" => "True";
    "ge": "It is greater or equal; also `>=`.", "{{ 2 is ge(2) }}" => "True";
    "greaterthan": "As `gt`.", "{{ 3 is greaterthan(2) }}" => "True";
    "gt": "It is greater; also `>`.", "{{ 3 is gt(2) }}" => "True";
    "in": "It is an item of the list, a key of the map, a part of the text.", "{{ 'a' is in(['a']) }}" => "True";
    "int": "As `integer`.", "{{ 1 is int }}" => "True";
    "integer": "It is an integer.", "{{ 1 is integer }}" => "True";
    "iterable": "It can be gone over with `for`.", "{{ [] is iterable }}" => "True";
    "le": "It is smaller or equal; also `<=`.", "{{ 3 is le(2) }}" => "False";
    "lessthan": "As `lt`.", "{{ 1 is lessthan(2) }}" => "True";
    "lower": "The text is in lower case.", "{{ 'a' is lower }}" => "True";
    "lt": "It is smaller; also `<`.", "{{ 1 is lt(2) }}" => "True";
    "mapping": "It is a record or a map.", "{{ {} is mapping }}" => "True";
    "ne": "Both differ; also `!=`.", "{{ 1 is ne(2) }}" => "True";
    "none": "It is null.", "{{ none is none }}" => "True";
    "number": "It is an integer or a float.", "{{ 1 is number }}" => "True";
    "odd": "The number is odd.", "{{ 2 is odd }}" => "False";
    "safe": "It was marked by the filter `safe`.", "{{ 'a' is safe }}" => "False";
    "escaped": "As `safe`.", "{{ 'a' is escaped }}" => "False";
    "sameas": "Both are the same value of the same type.", "{{ 1 is sameas(1) }}" => "True";
    "sequence": "It is a list.", "{{ [] is sequence }}" => "True";
    "startingwith": "The text starts with another.", "{{ 'abc' is startingwith('a') }}" => "True";
    "string": "It is a text.", "{{ 'a' is string }}" => "True";
    "test": "There is a test of that name.", "{{ 'odd' is test }}" => "True";
    "true": "It is `true`.", "{{ true is true }}" => "True";
    "undefined": "The field or key does not exist.", "{{ {}.a is undefined }}" => "True";
    "upper": "The text is in upper case.", "{{ 'A' is upper }}" => "True";
};

/// The functions.
#[rustfmt::skip]
pub const FUNCTIONS: &[TemplateItem] = items! {
    "dict": "A map of named values.", "{{ dict(a=1) }}" => "{'a': 1}";
    "namespace": "A map whose fields `set` may change inside of a loop.", "{% set n = namespace(c=0) %}{% for x in [1, 2] %}{% set n.c = n.c + x %}{% endfor %}{{ n.c }}" => "3";
    "range": "The integers from one number up to another.", "{{ range(1, 4) | list }}" => "[1, 2, 3]";
};

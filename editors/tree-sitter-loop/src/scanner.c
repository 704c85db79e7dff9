// The tokens of `.loop` files for which one must look at white space, or further ahead than one token.
//
// The parser asks here first, at the end of the token before, and says which tokens could follow. Tokens without a width are
// answers: "what may follow here does follow". What this file judges is what `grammar/loop.pest` and `grammar/expr.pest`
// judge by trying one alternative after the other.
//
// It holds no state, so that any part of a file can be read again alone.

#include "tree_sitter/parser.h"

#include <string.h>

// In the order of `externals` in `grammar.js`.
enum Token {
  STRING,
  LINE_STRING,
  COLON_STRING,
  NUMBER,
  BOUND,
  COUNT,
  DOTTED_NAME,
  TOOL_NAME,
  RULE_NAME,
  SAME_LINE,
  AFTER_COLON,
  DECLARED,
  NOT_BRACE,
  LINE_WORD,
  LINE_COLON,
  FIELDS_FOLLOW,
  RECORD_FOLLOWS,
  CALL_OPEN,
  INDEX_OPEN,
  MINUS,
  NULLABLE,
  IN,
  IS,
  WHERE,
  BY,
  TOOL_NODE,
  TEXT_HERE,
  LINE_IGNORE,
  OUTER,
  ON,
  WHEN,
  DO,
  TARGET,
  ASSIGNS,
  CALLS,
  PAYLOAD,
  MESSAGE,
  PAUSE_GOES_ON,
  VALUE_END,
  END,
  GRAPH_END,
  STATEMENT_END,
  ALONE,
  HEAD_END,
  LINE_END,
  RECOVERING,
};

// Longer words are none of the language.
#define MAX_WORD 16

typedef struct {
  TSLexer *lexer;
  const bool *valid;
  // White space, or a line end with comments, stands before the next character.
  bool space, line;
  // A comment stands there, which the parser is to see: nothing that has a width can be told.
  bool comment;
} Scan;

typedef struct {
  char text[MAX_WORD + 1];
  unsigned length;
} Word;

// ---- characters

static int32_t next(const Scan *scan) { return scan->lexer->lookahead; }
static void take(Scan *scan) { scan->lexer->advance(scan->lexer, false); }
static bool at_end(const Scan *scan) { return scan->lexer->eof(scan->lexer); }

static bool is_digit(int32_t c) { return c >= '0' && c <= '9'; }
static bool is_letter(int32_t c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
static bool is_word(int32_t c) { return is_letter(c) || is_digit(c); }
static bool is_upper(int32_t c) { return c >= 'A' && c <= 'Z'; }
static bool is_quote(int32_t c) { return c == '\'' || c == '"'; }
static bool is_hex(int32_t c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

static bool take_if(Scan *scan, int32_t c) {
  if (next(scan) != c) return false;
  take(scan);
  return true;
}

// Passes over white space and comments. True if a line ended.
static bool pass_space(Scan *scan) {
  bool line = false;
  for (;;) {
    int32_t c = next(scan);
    if (c == '#') {
      line = true;
      while (next(scan) != '\n' && !at_end(scan)) take(scan);
    } else if (c == '\n' || c == '\r') {
      line = true;
      take(scan);
    } else if (c == ' ' || c == '\t') {
      take(scan);
    } else {
      return line;
    }
  }
}

// Passes over the white space before a token, which is no part of it.
static void before_token(Scan *scan) {
  while (next(scan) == ' ' || next(scan) == '\t' || next(scan) == '\n' || next(scan) == '\r') {
    scan->line |= next(scan) == '\n' || next(scan) == '\r';
    scan->space = true;
    scan->lexer->advance(scan->lexer, true);
  }
  scan->comment = next(scan) == '#';
  scan->line |= scan->comment;
  scan->space |= scan->comment;
}

// True if something could end here, which what follows the comments decides. All else is asked for after them again: to look past them
// each time would take long where there are many.
static bool may_end(const Scan *scan) {
  static const enum Token tokens[] = {VALUE_END, STATEMENT_END, ALONE, HEAD_END, LINE_END, END};
  for (unsigned i = 0; i < sizeof tokens / sizeof *tokens; i++) {
    if (scan->valid[tokens[i]]) return true;
  }
  return false;
}

static Word read_word(Scan *scan) {
  Word word = {{0}, 0};
  while (is_word(next(scan))) {
    if (word.length < MAX_WORD) word.text[word.length] = (char)next(scan);
    word.length++;
    take(scan);
  }
  if (word.length > MAX_WORD) word.text[0] = 0;
  return word;
}

static bool is(const Word *word, const char *text) { return strcmp(word->text, text) == 0; }

static bool is_one_of(const Word *word, const char *const *texts) {
  for (; *texts; texts++) {
    if (is(word, *texts)) return true;
  }
  return false;
}

static bool found(Scan *scan, enum Token token) {
  scan->lexer->result_symbol = token;
  return true;
}

// A token with a width, which ends here.
static bool ends(Scan *scan, enum Token token) {
  if (scan->comment) return false;
  scan->lexer->mark_end(scan->lexer);
  return found(scan, token);
}

// ---- texts

// The escape after a backslash.
static bool take_escape(Scan *scan) {
  int32_t c = next(scan);
  int digits = c == 'x' || c == 'X' ? 2 : c == 'u' ? 4 : c == 'U' ? 8 : 0;
  if (digits) {
    uint32_t code = 0;
    take(scan);
    for (; digits; digits--) {
      if (!is_hex(next(scan))) return false;
      int32_t d = next(scan);
      code = code << 4 | (uint32_t)(is_digit(d) ? d - '0' : (d | 0x20) - 'a' + 10);
      take(scan);
    }
    return code < 0xD800 || (code > 0xDFFF && code <= 0x10FFFF);
  }
  if (c >= '0' && c <= '3') {
    // Three digits that are read as the program reads them.
    take(scan);
    for (int i = 0; i < 2; i++) {
      if (next(scan) < '0' || next(scan) > '7') return false;
      take(scan);
    }
    return true;
  }
  if (c >= 128 || c <= 0 || !strchr("abfnrtv\\?\"'`", (char)c)) return false;
  take(scan);
  return true;
}

// Reads a quoted text after its opening quote, up to the closing one.
static bool take_text(Scan *scan, bool raw) {
  int32_t quote = next(scan);
  int width = 0;
  while (width < 3 && take_if(scan, quote)) width++;
  if (width == 2) return true;
  for (int closing = 0;;) {
    int32_t c = next(scan);
    if (at_end(scan) || (width == 1 && c == '\n')) return false;
    take(scan);
    closing = c == quote ? closing + 1 : 0;
    if (closing == width) return true;
    if (c == '\\' && !raw && !take_escape(scan)) return false;
  }
}

// The prefix of a text: it may be raw. `b` is refused by the program, with a word of its own.
static bool is_prefix(const Word *word, bool *raw) {
  static const char *const prefixes[] = {"r", "R", "b", "B", "rb", "rB", "Rb", "RB", "br", "bR", "Br", "BR", NULL};
  *raw = word->text[0] && strpbrk(word->text, "rR") != NULL;
  return is_one_of(word, prefixes);
}

// The token that a text would be here. A name is not directly before a quote.
static int text_token(const Scan *scan) {
  if (scan->valid[STRING]) return STRING;
  if (scan->valid[LINE_STRING] && !scan->line && scan->space) return LINE_STRING;
  if (scan->valid[COLON_STRING] && !scan->line) return COLON_STRING;
  return -1;
}

// ---- numbers

typedef enum { NO_NUMBER, INTEGER, OTHER_NUMBER } NumberKind;

// Counts how often a prime is in a number.
static int times(uint64_t number, uint64_t prime) {
  int count = 0;
  for (; number && number % prime == 0; number /= prime) count++;
  return count;
}

// True if so many of a unit are a whole number of nanoseconds.
static bool is_whole(const char *digits, unsigned length, uint64_t unit) {
  unsigned whole = 0;
  while (whole < length && digits[whole] != '.') whole++;
  if (whole > 20 || length == 0 || (whole == 0 && length == 1)) return false;
  unsigned fraction = whole < length ? length - whole - 1 : 0;
  if (fraction > 18) return false;
  uint64_t part = 0;
  for (unsigned i = whole + 1; i < length; i++) {
    if (digits[i] == '.') return false;
    part = part * 10 + (uint64_t)(digits[i] - '0');
  }
  return part == 0 || (times(part, 2) + times(unit, 2) >= (int)fraction && times(part, 5) + times(unit, 5) >= (int)fraction);
}

static bool is_duration(const char *text, unsigned length) {
  static const struct {
    const char *name;
    uint64_t nanoseconds;
  } units[] = {{"d", 86400000000000}, {"h", 3600000000000}, {"m", 60000000000}, {"s", 1000000000},
               {"ms", 1000000},       {"us", 1000},         {"ns", 1}};
  unsigned at = 0, unit = 0;
  while (at < length) {
    unsigned amount = at;
    while (at < length && (is_digit(text[at]) || text[at] == '.')) at++;
    unsigned name = at;
    while (at < length && is_letter(text[at]) && text[at] != '_') at++;
    while (unit < 7 && (strlen(units[unit].name) != at - name || strncmp(units[unit].name, text + name, at - name) != 0)) {
      unit++;
    }
    if (unit == 7 || !is_whole(text + amount, name - amount, units[unit].nanoseconds)) return false;
    unit++;
  }
  return true;
}

// True if a number is a float: digits with a dot, an exponent, or both.
static bool is_float(const char *text, unsigned length) {
  unsigned at = 0, digits = 0;
  for (; at < length && is_digit(text[at]); at++) digits++;
  if (at < length && text[at] == '.') {
    for (at++; at < length && is_digit(text[at]); at++) digits++;
  }
  if (!digits) return false;
  if (at < length && (text[at] == 'e' || text[at] == 'E')) {
    at++;
    if (at < length && (text[at] == '+' || text[at] == '-')) at++;
    if (at == length) return false;
    while (at < length && is_digit(text[at])) at++;
  }
  return at == length;
}

// No number that means something is longer.
#define MAX_NUMBER 256

static NumberKind number_kind(const char *text, unsigned length) {
  unsigned at = 0;
  bool hexadecimal = length > 1 && text[0] == '0' && (text[1] | 0x20) == 'x';
  if (hexadecimal) {
    for (at = 2; at < length && is_hex(text[at]); at++) {
    }
    // The suffix of an unsigned number is refused by the program, with a word of its own.
    return (at == length && at > 2) || (text[length - 1] | 0x20) == 'u' ? INTEGER : NO_NUMBER;
  }
  while (at < length && is_digit(text[at])) at++;
  if (at == length || (at == length - 1 && at > 0 && (text[at] | 0x20) == 'u')) return INTEGER;
  return is_float(text, length) || is_duration(text, length) ? OTHER_NUMBER : NO_NUMBER;
}

// A number or a duration, the first character of which may have been a dot that was taken.
static NumberKind take_number(Scan *scan, bool dot) {
  char text[MAX_NUMBER];
  unsigned length = 0;
  bool hexadecimal = false;
  if (dot) text[length++] = '.';
  for (;;) {
    int32_t c = next(scan);
    bool more = is_word(c);
    if (c == '.' && !hexadecimal) {
      // The end of the number, unless a digit follows the dot: `0..9`, `1.size()`.
      scan->lexer->mark_end(scan->lexer);
      take(scan);
      if (!is_digit(next(scan))) return number_kind(text, length);
      text[length++] = '.';
      if (length == MAX_NUMBER) return NO_NUMBER;
      continue;
    }
    if ((c == '+' || c == '-') && length > 1 && (text[length - 1] | 0x20) == 'e' && !hexadecimal &&
        is_float(text, length - 1)) {
      scan->lexer->mark_end(scan->lexer);
      take(scan);
      if (!is_digit(next(scan))) return number_kind(text, length);
      text[length++] = (char)c;
      more = true;
      c = next(scan);
    }
    if (!more || length >= MAX_NUMBER - 1) break;
    text[length++] = (char)c;
    hexadecimal |= length == 2 && text[0] == '0' && (c | 0x20) == 'x';
    take(scan);
  }
  scan->lexer->mark_end(scan->lexer);
  return is_word(next(scan)) ? NO_NUMBER : number_kind(text, length);
}

static bool number(Scan *scan) {
  bool minus = scan->valid[BOUND] && take_if(scan, '-');
  bool dot = take_if(scan, '.');
  if (!is_digit(next(scan)) || scan->comment) return false;
  NumberKind kind = take_number(scan, dot);
  if (scan->valid[NUMBER] && !minus && kind != NO_NUMBER) return found(scan, NUMBER);
  if (kind != INTEGER) return false;
  return (scan->valid[BOUND] && found(scan, BOUND)) || (scan->valid[COUNT] && found(scan, COUNT));
}

// ---- what follows a word

// Judges the text after a word that was read.
typedef struct {
  // The character directly after it, and the first one after white space.
  int32_t direct, first;
  bool line;
} After;

static After after_word(Scan *scan) {
  After after = {next(scan), 0, false};
  after.line = pass_space(scan);
  after.first = at_end(scan) ? 0 : next(scan);
  return after;
}

// True if a value can begin with this character, `-` aside.
static bool begins_value(int32_t c) { return is_word(c) || is_quote(c) || c == '(' || c == '[' || c == '{' || c == '!' || c == '.'; }

// The same at the next character, which may be taken. An arrow begins none.
static bool value_follows(Scan *scan) {
  if (take_if(scan, '-')) return next(scan) != '>';
  if (take_if(scan, '!')) return next(scan) != '=';
  if (take_if(scan, '.')) return is_digit(next(scan));
  return begins_value(next(scan));
}

// Passes over brackets and what they hold.
static bool pass_brackets(Scan *scan) {
  int depth = 0;
  for (;;) {
    pass_space(scan);
    int32_t c = next(scan);
    if (at_end(scan)) return false;
    if (is_quote(c)) {
      if (!take_text(scan, false)) return false;
      continue;
    }
    if (is_letter(c)) {
      Word word = read_word(scan);
      bool raw;
      if (is_quote(next(scan)) && is_prefix(&word, &raw) && !take_text(scan, raw)) return false;
      continue;
    }
    take(scan);
    if (c == '[' || c == '(' || c == '{') depth++;
    if ((c == ']' || c == ')' || c == '}') && --depth == 0) return true;
  }
}

// The statement without a word of its own that begins with the word before: an assignment, the call of an action, or none.
static int statement_after(Scan *scan, After after) {
  if (is_quote(after.direct)) return -1;
  bool line = after.line;
  if (!line && next(scan) == '(') {
    take(scan);
    pass_space(scan);
    return next(scan) == ')' ? CALLS : -1;
  }
  for (;;) {
    if (take_if(scan, '.')) {
      pass_space(scan);
      if (!is_letter(next(scan))) return -1;
      read_word(scan);
    } else if (!line && next(scan) == '[') {
      if (!pass_brackets(scan)) return -1;
    } else {
      break;
    }
    line = pass_space(scan);
  }
  if (line) return -1;
  if (take_if(scan, '+')) return next(scan) == '=' ? ASSIGNS : -1;
  return take_if(scan, '=') && next(scan) != '=' ? ASSIGNS : -1;
}

static const char *const STATEMENTS[] = {"if", "for", "let", "spend", "emit", "fail", NULL};

// The keys of nodes.
static const char *const KEYS[] = {
    "kind",     "role",    "stream",  "merge",   "as",      "on_error", "delivery", "cache",  "new",    "tool",    "allow",
    "offer",    "options", "title",   "doc",     "graph",   "graphs",   "graph_of", "output", "answer", "into",    "args",
    "limits",   "with",    "then",    "do",      "next",    "retry",    "branches", "ignore", "role_of", "tool_of", "offer_of",
    "messages", "system",  "prompt",  "ask",     "over",    "at_once",  "limit",    "timeout", "delay",  "outcome", "ok",
    "start",    "pause",   "nodes",   "state",   "budgets", NULL};

// Those whose block may begin on the next line.
static const char *const SECTIONS[] = {"branches", "ignore", "state", "budgets", NULL};

// True if a key of a node, on the line of its name, is the word before.
static bool is_key(Scan *scan, const Word *word, After after) {
  if (!is_one_of(word, KEYS) || is_quote(after.direct)) return false;
  bool line = after.line;
  if (!line && take_if(scan, ':')) line = pass_space(scan);
  if (line) return is_one_of(word, SECTIONS) && next(scan) == '{';
  if (is(word, "graph") && is_letter(next(scan))) {
    // Its value is a path or a graph; before a name `graph` begins a declaration.
    Word name = read_word(scan);
    bool raw;
    return is_quote(next(scan)) && is_prefix(&name, &raw);
  }
  if (is(word, "output") && next(scan) == '{') return false;
  return value_follows(scan);
}

// ---- names with signs in them

static bool dotted_name(Scan *scan) {
  scan->lexer->mark_end(scan->lexer);
  while (take_if(scan, '.') && is_letter(next(scan))) {
    read_word(scan);
    if (is_quote(next(scan))) break;
    scan->lexer->mark_end(scan->lexer);
  }
  return found(scan, DOTTED_NAME);
}

static bool tool_name(Scan *scan) {
  for (;;) {
    scan->lexer->mark_end(scan->lexer);
    int32_t c = next(scan);
    if (!is_word(c) && c != '.' && c != '-' && c != '/' && c != ':') break;
    take(scan);
    if ((c == '-' && next(scan) == '>') || ((c == '.' || c == '/') && next(scan) == c)) break;
  }
  return found(scan, TOOL_NAME);
}

static bool rule_name(Scan *scan) {
  scan->lexer->mark_end(scan->lexer);
  while (take_if(scan, '-') && is_word(next(scan))) {
    while (is_word(next(scan))) take(scan);
    scan->lexer->mark_end(scan->lexer);
  }
  return found(scan, RULE_NAME);
}

static bool long_name(Scan *scan) {
  if (scan->comment || is_quote(next(scan))) return false;
  if (scan->valid[DOTTED_NAME]) return dotted_name(scan);
  return scan->valid[TOOL_NAME] ? tool_name(scan) : rule_name(scan);
}

// ---- what a word is here

static bool is_on_line(After after, bool fits) { return !after.line && !is_quote(after.direct) && fits; }

// True if the words `tool name` begin a node: a title or a body follows.
static bool begins_tool(Scan *scan, After after) {
  if (after.line || !is_letter(next(scan))) return false;
  Word name = read_word(scan);
  bool raw, prefix = is_quote(next(scan)) && is_prefix(&name, &raw);
  if (prefix || is_quote(next(scan)) || pass_space(scan)) return false;
  if (is_quote(next(scan)) || next(scan) == '{') return true;
  name = read_word(scan);
  return is_quote(next(scan)) && is_prefix(&name, &raw);
}

// True if a text follows the word `text` or `file` on its line.
static bool is_text_here(Scan *scan, After after) {
  if (after.line || is_quote(after.direct)) return false;
  if (is_quote(next(scan))) return true;
  if (!is_letter(next(scan))) return false;
  Word prefix = read_word(scan);
  bool raw;
  return is_quote(next(scan)) && is_prefix(&prefix, &raw);
}

// A word of the language that is one only if what follows it fits: the token that says so, or none.
static int word_token(Scan *scan, const Word *word, After after) {
  const bool *valid = scan->valid;
  int32_t c = next(scan);
  if (valid[IN] && is(word, "in")) return value_follows(scan) ? IN : -1;
  if (valid[BY] && is(word, "by")) return value_follows(scan) ? BY : -1;
  if (valid[IS] && is(word, "is")) return !after.line && c == '(' ? IS : -1;
  if (valid[WHERE] && is(word, "where")) return c != ':' ? WHERE : -1;
  if (valid[TOOL_NODE] && is(word, "tool")) return begins_tool(scan, after) ? TOOL_NODE : -1;
  if (valid[TEXT_HERE] && (is(word, "text") || is(word, "file"))) return is_text_here(scan, after) ? TEXT_HERE : -1;
  if (valid[LINE_IGNORE] && !scan->line && is(word, "ignore")) return LINE_IGNORE;
  if (valid[OUTER] && is(word, "outer")) return is_on_line(after, true) ? OUTER : -1;
  if (valid[ON] && is(word, "on")) return is_on_line(after, c == '[' || is_letter(c)) ? ON : -1;
  if (valid[WHEN] && is(word, "when")) return is_on_line(after, value_follows(scan)) ? WHEN : -1;
  if (valid[DO] && is(word, "do")) return is_on_line(after, c == '{') ? DO : -1;
  if (valid[PAUSE_GOES_ON] && (is(word, "when") || is(word, "ask"))) {
    return is_on_line(after, c == ':' || value_follows(scan)) ? PAUSE_GOES_ON : -1;
  }
  return -1;
}

// The end of what stands before a word that goes on with nothing, or none.
static int end_before_word(Scan *scan, const Word *word, After after) {
  const bool *valid = scan->valid;
  if (valid[ALONE]) return scan->line ? ALONE : -1;
  if (valid[LINE_END]) return scan->line ? LINE_END : -1;
  if (valid[HEAD_END]) return scan->line || !is_key(scan, word, after) ? HEAD_END : -1;
  if (!valid[STATEMENT_END]) return valid[END] ? END : -1;
  bool another = is_one_of(word, STATEMENTS) || statement_after(scan, after) != -1;
  return scan->line || !another ? STATEMENT_END : -1;
}

static bool from_word(Scan *scan) {
  const bool *valid = scan->valid;
  bool upper = is_upper(next(scan)), raw;
  Word word = read_word(scan);
  int token = is_quote(next(scan)) && is_prefix(&word, &raw) ? text_token(scan) : -1;
  if (token != -1) return take_text(scan, raw) && ends(scan, (enum Token)token);
  if (valid[DOTTED_NAME] || valid[TOOL_NAME] || valid[RULE_NAME]) return long_name(scan);

  // All others have no width: the word is read again.
  After after = after_word(scan);
  if (valid[TARGET]) {
    bool clause = is(&word, "when") || is(&word, "on") || (is(&word, "do") && !after.line && after.first == '{');
    return !scan->line && !clause && found(scan, TARGET);
  }
  if (valid[PAYLOAD] && !scan->line && upper && !after.line && after.first == '{') return found(scan, PAYLOAD);
  if (valid[MESSAGE] && !scan->line) return found(scan, MESSAGE);
  token = word_token(scan, &word, after);
  if (token == -1 && valid[VALUE_END]) token = VALUE_END;
  if (token == -1 && (valid[ASSIGNS] || valid[CALLS])) token = statement_after(scan, after);
  if (token == -1) token = end_before_word(scan, &word, after);
  return token != -1 && found(scan, (enum Token)token);
}

// ---- signs

// True if the braces at the next character hold values by name, or the fields of a record: what cannot be a block.
static bool holds_names(Scan *scan, bool record) {
  take(scan);
  pass_space(scan);
  // No map begins with a separator.
  if (next(scan) == '}' || (!record && (next(scan) == ',' || next(scan) == ';'))) return true;
  if (!is_letter(next(scan))) return false;
  read_word(scan);
  if (is_quote(next(scan))) return false;
  pass_space(scan);
  return !record || next(scan) == ':';
}

// True if the expression, or the place, before this sign goes on with it.
static bool continues(Scan *scan) {
  if (!scan->valid[MINUS] && !scan->valid[INDEX_OPEN]) return false;
  int32_t c = next(scan);
  if (c == '=' || c == '!') {
    take(scan);
    return next(scan) == '=';
  }
  if (c == '+') {
    take(scan);
    return next(scan) != '=';
  }
  return c > 0 && c < 128 && strchr("&|?<>*/%.", (char)c);
}

// The end of what stands before a sign, a text, a number or the end of the file, or none. A `-` was taken.
static bool end_before_sign(Scan *scan, int32_t c) {
  const bool *valid = scan->valid;
  bool line = scan->line || at_end(scan);
  bool arrow = c == '-' && next(scan) == '>', opens = !line && c == '{';
  if (c != '-' && continues(scan)) return false;
  if (valid[VALUE_END]) return found(scan, VALUE_END);
  if (valid[PAYLOAD] && opens) return found(scan, PAYLOAD);
  if (valid[MESSAGE] && !line && !arrow && (c == '-' || value_follows(scan))) {
    return (scan->space || !is_quote(c)) && found(scan, MESSAGE);
  }
  if (valid[ALONE]) return !opens && c != '=' && c != ':' && found(scan, ALONE);
  if (valid[LINE_END]) return (line || c == ';' || c == '}') && found(scan, LINE_END);
  if (valid[HEAD_END]) return !opens && !(arrow && !line) && found(scan, HEAD_END);
  if (valid[STATEMENT_END]) return found(scan, STATEMENT_END);
  if (valid[GRAPH_END] && (at_end(scan) || c == '}')) return found(scan, GRAPH_END);
  // A field may have a default.
  return valid[END] && c != '=' && found(scan, END);
}

static bool from_sign(Scan *scan) {
  const bool *valid = scan->valid;
  int32_t c = next(scan);
  if (is_quote(c)) {
    int token = text_token(scan);
    if (token != -1) return take_text(scan, false) && ends(scan, (enum Token)token);
  }
  bool numbers = valid[NUMBER] || valid[BOUND] || valid[COUNT];
  if (numbers && (is_digit(c) || c == '.' || (c == '-' && valid[BOUND]))) return number(scan);
  static const struct {
    int32_t sign;
    enum Token token;
  } signs[] = {{'(', CALL_OPEN}, {'[', INDEX_OPEN}, {'?', NULLABLE}, {':', LINE_COLON}};
  for (int i = 0; i < 4; i++) {
    if (c == signs[i].sign && valid[signs[i].token] && !scan->line) return take_if(scan, c) && ends(scan, signs[i].token);
  }
  if (c == '{' && valid[FIELDS_FOLLOW]) return holds_names(scan, false) && found(scan, FIELDS_FOLLOW);
  if (c == '{' && valid[RECORD_FOLLOWS] && !scan->line && holds_names(scan, true)) return found(scan, RECORD_FOLLOWS);
  if (take_if(scan, '-') && next(scan) != '>' && valid[MINUS] && !scan->line) return ends(scan, MINUS);
  return end_before_sign(scan, c);
}

// ---- the scanner

bool tree_sitter_loop_external_scanner_scan(void *payload, TSLexer *lexer, const bool *valid) {
  (void)payload;
  if (valid[RECOVERING]) return false;
  Scan scan = {lexer, valid, false, false, false};
  lexer->mark_end(lexer);
  before_token(&scan);
  if (scan.comment) {
    if (!may_end(&scan)) return false;
    pass_space(&scan);
  }
  int32_t c = next(&scan);
  bool something = !scan.line && !at_end(&scan) && c != ';', apart = scan.space || !is_quote(c);
  if (valid[SAME_LINE]) return something && apart && found(&scan, SAME_LINE);
  if (valid[AFTER_COLON]) return something && found(&scan, AFTER_COLON);
  if (valid[DECLARED]) return something && apart && c != '{' && found(&scan, DECLARED);
  if (valid[NOT_BRACE]) return c != '{' && c != ':' && found(&scan, NOT_BRACE);
  if (valid[LINE_WORD]) return something && is_letter(c) && found(&scan, LINE_WORD);
  return is_letter(c) ? from_word(&scan) : from_sign(&scan);
}

void *tree_sitter_loop_external_scanner_create(void) { return NULL; }
void tree_sitter_loop_external_scanner_destroy(void *payload) { (void)payload; }
unsigned tree_sitter_loop_external_scanner_serialize(void *payload, char *buffer) {
  (void)payload;
  (void)buffer;
  return 0;
}
void tree_sitter_loop_external_scanner_deserialize(void *payload, const char *buffer, unsigned length) {
  (void)payload;
  (void)buffer;
  (void)length;
}

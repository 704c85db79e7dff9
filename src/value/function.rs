//! The names of the built-in functions and operators.
//!
//! Only the list stands here, so that the type checker and the evaluator share one set of ids without knowing each other.

/// How a function is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Form {
    /// An operator: `a + b`.
    Operator,
    /// `name(a, b)`.
    Global,
    /// `a.name(b)`; the receiver is the first argument.
    Receiver,
    /// Either of the two.
    Either,
}

macro_rules! functions {
    ($($id:ident $name:literal $form:ident $min:literal..=$max:literal $doc:literal;)*) => {
        /// A built-in function or operator. Arguments are counted with the receiver as the first.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Function {
            $(#[doc = $doc] $id,)*
        }

        impl Function {
            /// All of them, in the order of their declaration.
            pub const ALL: &'static [Self] = &[$(Self::$id,)*];

            /// The name as it is written in an expression, `math.abs` with its prefix; for an operator its sign.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$id => $name,)* }
            }

            /// How it is written.
            #[must_use]
            pub const fn form(self) -> Form {
                match self { $(Self::$id => Form::$form,)* }
            }

            /// The least and the greatest number of arguments, receiver included.
            #[must_use]
            pub const fn arity(self) -> (usize, usize) {
                match self { $(Self::$id => ($min, $max),)* }
            }

            /// One line on what it gives.
            #[must_use]
            pub const fn summary(self) -> &'static str {
                match self { $(Self::$id => $doc,)* }
            }
        }
    };
}

functions! {
    Add "+" Operator 2..=2 "Sum of numbers, durations or amounts; two strings or lists joined.";
    Subtract "-" Operator 2..=2 "Difference of numbers, durations or amounts.";
    Multiply "*" Operator 2..=2 "Product; a duration or an amount times a number.";
    Divide "/" Operator 2..=2 "Quotient; integers cut towards zero.";
    Modulo "%" Operator 2..=2 "Remainder of integers, with the sign of the left one.";
    Negate "-" Operator 1..=1 "The value with the other sign.";
    Not "!" Operator 1..=1 "The other boolean.";
    Equal "==" Operator 2..=2 "Whether both are equal; integers and floats by value.";
    NotEqual "!=" Operator 2..=2 "Whether both are not equal.";
    Less "<" Operator 2..=2 "Whether the left is smaller.";
    LessOrEqual "<=" Operator 2..=2 "Whether the left is smaller or equal.";
    Greater ">" Operator 2..=2 "Whether the left is greater.";
    GreaterOrEqual ">=" Operator 2..=2 "Whether the left is greater or equal.";
    In "in" Operator 2..=2 "Whether the list holds the value, or the map the key.";
    Index "[]" Operator 2..=2 "The element of a list, or the value of a map's key.";

    Size "size" Either 1..=1 "Number of characters, elements or entries.";
    Type "type" Global 1..=1 "Name of the value's type.";
    ToString "string" Global 1..=1 "The value as text.";
    ToInt "int" Global 1..=1 "The value as an integer: a text is read, a float cut towards zero.";
    ToFloat "double" Global 1..=1 "The value as a float: a text is read.";
    ToBool "bool" Global 1..=1 "The text `true` or `false` as a boolean.";
    ToDuration "duration" Global 1..=1 "The text, like `1m30s`, as a duration.";
    ToUsd "usd" Global 1..=1 "The text or number as an amount of money.";
    Dyn "dyn" Global 1..=1 "The value itself, with its type forgotten.";

    Contains "contains" Receiver 2..=2 "Whether the string contains the other.";
    StartsWith "startsWith" Receiver 2..=2 "Whether the string starts with the other.";
    EndsWith "endsWith" Receiver 2..=2 "Whether the string ends with the other.";
    Matches "matches" Either 2..=2 "Whether the regular expression occurs in the string.";
    FindAll "find_all" Global 2..=2 "Every match of the regular expression (first argument) as `[whole, group1, …]`.";
    CharAt "charAt" Receiver 2..=2 "The character at a place, counted from 0; `''` at the very end.";
    IndexOf "indexOf" Receiver 2..=3 "The first place of the other string, or -1; from a place on, if given.";
    LastIndexOf "lastIndexOf" Receiver 2..=3 "The last place of the other string, or -1; up to a place, if given.";
    Join "join" Receiver 1..=2 "The strings of the list in one, with a separator between them.";
    LowerAscii "lowerAscii" Receiver 1..=1 "The string with A to Z in lower case.";
    UpperAscii "upperAscii" Receiver 1..=1 "The string with a to z in upper case.";
    Replace "replace" Receiver 3..=4 "The string with each occurrence replaced; at most so many, if given.";
    Split "split" Receiver 2..=3 "The parts between separators; at most so many, if given.";
    Substring "substring" Receiver 2..=3 "The characters from a place on, up to another, if given.";
    Trim "trim" Receiver 1..=1 "The string without white space at its ends.";
    Format "format" Receiver 2..=2 "The string with `%s %d %f %e %b %x %X %o` filled in from a list.";
    Quote "strings.quote" Global 1..=1 "The string in double quotes with escapes.";
    Reverse "reverse" Receiver 1..=1 "The characters or elements in reverse order.";

    Slice "slice" Receiver 3..=3 "The elements from a place up to (not including) another.";
    Flatten "flatten" Receiver 1..=2 "The list with inner lists opened, one level or as many as given.";
    First "first" Receiver 1..=1 "The first element, or null if there is none.";
    Last "last" Receiver 1..=1 "The last element, or null if there is none.";
    Distinct "distinct" Receiver 1..=1 "The elements without repetitions, each at its first place.";
    Sort "sort" Receiver 1..=1 "The elements in ascending order.";
    SortByKeys "sortBy" Receiver 2..=2 "The elements in ascending order of the keys in a second list of equal length.";
    Range "lists.range" Global 1..=1 "The integers from 0 up to (not including) the number.";

    Keys "keys" Global 1..=1 "The keys of a map, in its order.";
    Values "values" Global 1..=1 "The values of a map, in its order.";
    Merge "merge" Global 2..=2 "The first map with the entries of the second set.";
    Without "without" Global 2..=2 "The map without a key or a list of keys; the list without the elements of another.";
    Sum "sum" Global 1..=2 "The sum of the numbers, durations or amounts of a list; of an empty one the second argument, or 0.";

    Least "math.least" Global 1..=64 "The least of the numbers, or of a list of numbers.";
    Greatest "math.greatest" Global 1..=64 "The greatest of the numbers, or of a list of numbers.";
    Ceil "math.ceil" Global 1..=1 "The least whole float not below the float.";
    Floor "math.floor" Global 1..=1 "The greatest whole float not above the float.";
    Round "math.round" Global 1..=1 "The nearest whole float; a half away from zero.";
    Trunc "math.trunc" Global 1..=1 "The float without its fraction.";
    Abs "math.abs" Global 1..=1 "The number without its sign.";
    Sign "math.sign" Global 1..=1 "-1, 0 or 1, as the number's sign is.";
    IsNaN "math.isNaN" Global 1..=1 "Whether the float is not a number.";
    IsInf "math.isInf" Global 1..=1 "Whether the float is infinite.";
    IsFinite "math.isFinite" Global 1..=1 "Whether the float is finite.";
    Sqrt "math.sqrt" Global 1..=1 "The square root, NaN of a negative number.";
    BitAnd "math.bitAnd" Global 2..=2 "The bits set in both.";
    BitOr "math.bitOr" Global 2..=2 "The bits set in either.";
    BitXor "math.bitXor" Global 2..=2 "The bits set in one of the two.";
    BitNot "math.bitNot" Global 1..=1 "The bits not set.";
    BitShiftLeft "math.bitShiftLeft" Global 2..=2 "The bits moved to the left.";
    BitShiftRight "math.bitShiftRight" Global 2..=2 "The bits moved to the right, zeros filled in.";

    GetHours "getHours" Receiver 1..=1 "The duration in whole hours.";
    GetMinutes "getMinutes" Receiver 1..=1 "The duration in whole minutes.";
    GetSeconds "getSeconds" Receiver 1..=1 "The duration in whole seconds.";
    GetMilliseconds "getMilliseconds" Receiver 1..=1 "The milliseconds behind the duration's last whole second.";

    ParseInt "parse_int" Global 1..=1 "The integer the text writes, or null.";
    ParseJson "parse_json" Global 1..=1 "The value the JSON text writes, or null.";
    Violations "violations" Global 2..=2 "What a JSON Schema (second argument) finds wrong with the value; empty if nothing.";
    Tokens "tokens" Global 1..=1 "Estimate of the tokens of a text, or of a list of texts.";
    Json "json" Global 1..=1 "The value as canonical JSON.";
    Digest "digest" Global 1..=1 "A stable hash of the value, as hexadecimal digits.";
}

impl Function {
    /// The function that `name(…)` calls, with `math.abs` written as one name.
    #[must_use]
    pub fn global(name: &str) -> Option<Self> {
        Self::ALL
            .iter()
            .copied()
            .find(|own| matches!(own.form(), Form::Global | Form::Either) && own.name() == name)
    }

    /// The function that `x.name(…)` calls.
    #[must_use]
    pub fn receiver(name: &str) -> Option<Self> {
        Self::ALL
            .iter()
            .copied()
            .find(|own| matches!(own.form(), Form::Receiver | Form::Either) && own.name() == name)
    }
}

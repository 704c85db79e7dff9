//! Arithmetic as people write it: `(1 + 2) * 3 ^ 2`, `sqrt(2)`, `17 % 5`.

use super::arithmetic_fault::{ArithmeticFault, MAX_BYTES, MAX_DEPTH};
use super::number::{Number, both, call, divide, raise, remainder};
use crate::value::Value;

use ArithmeticFault as Fault;

/// Evaluates an expression of `+ - * / % ^`, brackets, numbers, `pi`, `e` and the functions
/// `abs round floor ceil sqrt min max sum`. Division of whole numbers that leaves a rest gives a float.
///
/// # Errors
/// What is wrong with the expression.
pub fn evaluate(text: &str) -> Result<Value, ArithmeticFault> {
    if text.len() > MAX_BYTES {
        return Err(Fault::TooLong);
    }
    let mut parser = Parser { text, at: 0, depth: 0 };
    let number = parser.sum()?;
    parser.skip_space();
    if parser.at < text.len() {
        return Err(parser.wanted("an operator or the end"));
    }
    Ok(match number {
        Number::Int(n) => Value::Int(n),
        Number::Float(x) => Value::Float(x),
    })
}

struct Parser<'t> {
    text: &'t str,
    at: usize,
    depth: u32,
}

impl Parser<'_> {
    fn sum(&mut self) -> Result<Number, Fault> {
        let mut left = self.product()?;
        while let Some(operator) = self.take(&['+', '-']) {
            let right = self.product()?;
            left = match operator {
                '+' => both(left, right, i64::checked_add, |a, b| a + b)?,
                _ => both(left, right, i64::checked_sub, |a, b| a - b)?,
            };
        }
        Ok(left)
    }

    fn product(&mut self) -> Result<Number, Fault> {
        let mut left = self.signed()?;
        while let Some(operator) = self.take(&['*', '/', '%']) {
            let right = self.signed()?;
            left = match operator {
                '*' => both(left, right, i64::checked_mul, |a, b| a * b)?,
                '/' => divide(left, right)?,
                _ => remainder(left, right)?,
            };
        }
        Ok(left)
    }

    fn signed(&mut self) -> Result<Number, Fault> {
        let mut negative = false;
        while let Some(sign) = self.take(&['-', '+']) {
            negative ^= sign == '-';
        }
        let number = self.power()?;
        if !negative {
            return Ok(number);
        }
        both(Number::Int(0), number, i64::checked_sub, |_, b| -b)
    }

    /// Binds tighter than a sign before it and groups to the right: `-2^2` is -4, `2^3^2` is 512.
    fn power(&mut self) -> Result<Number, Fault> {
        let base = self.atom()?;
        if self.take(&['^']).is_none() {
            return Ok(base);
        }
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(Fault::TooDeep);
        }
        let exponent = self.signed()?;
        self.depth -= 1;
        raise(base, exponent)
    }

    fn atom(&mut self) -> Result<Number, Fault> {
        self.skip_space();
        match self.peek() {
            Some('(') => self.bracket(),
            Some(c) if c.is_ascii_digit() || c == '.' => self.number(),
            Some(c) if c.is_ascii_alphabetic() => self.named(),
            _ => Err(self.wanted("a number")),
        }
    }

    fn bracket(&mut self) -> Result<Number, Fault> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(Fault::TooDeep);
        }
        self.at += 1;
        let inner = self.sum()?;
        self.close()?;
        self.depth -= 1;
        Ok(inner)
    }

    fn close(&mut self) -> Result<(), Fault> {
        if self.take(&[')']).is_some() { Ok(()) } else { Err(self.wanted("`)`")) }
    }

    fn number(&mut self) -> Result<Number, Fault> {
        let start = self.at;
        self.digits();
        let mut whole = true;
        if self.peek() == Some('.') {
            whole = false;
            self.at += 1;
            self.digits();
        }
        if matches!(self.peek(), Some('e' | 'E')) {
            whole = false;
            self.at += 1;
            if matches!(self.peek(), Some('+' | '-')) {
                self.at += 1;
            }
            self.digits();
        }
        let text = &self.text[start..self.at];
        if whole {
            return text.parse().map(Number::Int).map_err(|_| Fault::Range);
        }
        let bad = |_| Fault::Syntax { at: start + 1, message: format!("`{text}` is not a number") };
        text.parse().map_err(bad).and_then(Number::finite)
    }

    fn digits(&mut self) {
        while self.peek().is_some_and(|c| c.is_ascii_digit()) {
            self.at += 1;
        }
    }

    fn named(&mut self) -> Result<Number, Fault> {
        let start = self.at;
        while self.peek().is_some_and(|c| c.is_ascii_alphanumeric() || c == '_') {
            self.at += 1;
        }
        let name = self.text[start..self.at].to_owned();
        match name.as_str() {
            "pi" => return Ok(Number::Float(std::f64::consts::PI)),
            "e" => return Ok(Number::Float(std::f64::consts::E)),
            _ => {}
        }
        let place = start + 1;
        if self.take(&['(']).is_none() {
            return Err(Fault::Syntax {
                at: place,
                message: format!("`{name}` is neither a number nor a constant"),
            });
        }
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(Fault::TooDeep);
        }
        let mut args = vec![self.sum()?];
        while self.take(&[',']).is_some() {
            args.push(self.sum()?);
        }
        self.close()?;
        self.depth -= 1;
        call(&name, &args).unwrap_or_else(|| {
            let message = format!(
                "there is no function `{name}` of {} arguments; there are abs, round, floor, ceil, sqrt of one, and \
                 min, max, sum of any number",
                args.len()
            );
            Err(Fault::Syntax { at: place, message })
        })
    }

    /// Takes one of some characters after any space.
    fn take(&mut self, wanted: &[char]) -> Option<char> {
        self.skip_space();
        let found = self.peek().filter(|c| wanted.contains(c))?;
        self.at += found.len_utf8();
        Some(found)
    }

    fn skip_space(&mut self) {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start().len();
    }

    fn peek(&self) -> Option<char> {
        self.text[self.at..].chars().next()
    }

    fn wanted(&self, wanted: &str) -> Fault {
        let found = self.peek().map_or_else(|| "the end".to_owned(), |c| format!("`{c}`"));
        let at = self.text[..self.at].chars().count() + 1;
        Fault::Syntax { at, message: format!("found {found}, wanted {wanted}") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> Value {
        evaluate(text).unwrap_or_else(|fault| panic!("{text}: {fault}"))
    }

    #[test]
    fn calculates() {
        let ints = [
            ("1 + 2*3", 7),
            ("(1+2)*3", 9),
            ("-2^2", -4),
            ("2^3^2", 512),
            ("10/5", 2),
            ("17 % 5", 2),
            ("--3", 3),
            ("max(1, 7, 3) - min(4, 2)", 5),
            ("sum(1,2,3)", 6),
            ("round(2.5)", 3),
            ("9223372036854775807", i64::MAX),
        ];
        for (text, wanted) in ints {
            assert!(value(text).equals(&Value::Int(wanted)), "{text} gives {:?}", value(text));
        }
        for (text, wanted) in
            [("7/2", 3.5), ("1e3 + .5", 1000.5), ("sqrt(16)", 4.0), ("2^-1", 0.5), ("0.1*3", 0.1 * 3.0)]
        {
            assert!(value(text).equals(&Value::Float(wanted)), "{text} gives {:?}", value(text));
        }
    }

    #[test]
    fn refuses_what_has_no_value() {
        assert_eq!(evaluate("1/0"), Err(Fault::DivisionByZero));
        assert_eq!(evaluate("1 % 0.0"), Err(Fault::DivisionByZero));
        assert_eq!(evaluate("9223372036854775807 + 1"), Err(Fault::Range));
        assert_eq!(evaluate("-9223372036854775807 - 2"), Err(Fault::Range));
        assert_eq!(evaluate("10^400"), Err(Fault::Range));
        assert_eq!(evaluate("sqrt(-1)"), Err(Fault::NotFinite));
        assert_eq!(evaluate("(0 - 9223372036854775807 - 1) / (0-1)"), evaluate("9223372036854775808.0"));
        for bad in ["", "1 +", "1 2", "(1", "foo", "foo(1)", "1..2", "$", "ä", "abs(1,2)", "min()", "1e", "."]
        {
            assert!(matches!(evaluate(bad), Err(Fault::Syntax { .. })), "{bad}: {:?}", evaluate(bad));
        }
    }

    #[test]
    fn is_not_exhausted_by_nesting() {
        for open in ["(", "abs(", "1^", "-(", "2^("] {
            let fault = evaluate(&open.repeat(4000 / open.len()));
            assert_eq!(fault, Err(Fault::TooDeep), "{open}");
        }
        assert_eq!(evaluate(&"1".repeat(5000)), Err(Fault::TooLong));
        assert!(evaluate(&format!("{}1", "-".repeat(4000))).is_ok());
    }
}

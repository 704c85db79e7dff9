//! Names of tools with `*` in them.

/// Returns true if a name, or a pattern in which each `*` stands for any letters, covers the name of a tool.
#[must_use]
pub fn covers(pattern: &str, name: &str) -> bool {
    let Some((first, rest)) = pattern.split_once('*') else { return pattern == name };
    let Some(mut left) = name.strip_prefix(first) else { return false };
    let mut parts: Vec<&str> = rest.split('*').collect();
    let Some(last) = parts.pop() else { return true };
    for part in parts {
        let Some(at) = left.find(part) else { return false };
        left = &left[at + part.len()..];
    }
    left.ends_with(last)
}

/// The server that a tool belongs to, and the tool's name there: `fs` and `read_file` of `fs.read_file`.
#[must_use]
pub fn server_of(tool: &str) -> Option<(&str, &str)> {
    tool.split_once('.')
}

#[cfg(test)]
mod tests {
    use super::covers;

    #[test]
    fn a_star_stands_for_any_letters() {
        for (pattern, name, fits) in [
            ("fs.read", "fs.read", true),
            ("fs.read", "fs.read_all", false),
            ("fs.read_*", "fs.read_all", true),
            ("fs.read_*", "fs.read", false),
            ("fs.*", "fs.read", true),
            ("fs.*", "fsx.read", false),
            ("fs.*_file", "fs.read_file", true),
            ("fs.*_file", "fs.read_files", false),
            ("fs.*a*a", "fs.aa", true),
            ("fs.*a*a", "fs.a", false),
            ("*", "anything", true),
        ] {
            assert_eq!(covers(pattern, name), fits, "{pattern} {name}");
        }
    }
}

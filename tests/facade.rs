//! The names that the library shows without the feature `unstable`: a short list, and examples that need no more.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use syn::{
    Attribute, ImplItem, Item, ItemImpl, Meta, Signature, TraitItem, Type, UseTree, Visibility, parse_file,
};

/// The most names that the library shows.
const MAX_NAMES: usize = 72;

/// Examples of what is unstable still.
const UNSTABLE: [&str; 1] = ["own_store"];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The text of a condition, without blanks.
fn condition(attributes: &[Attribute]) -> String {
    let conditions = attributes.iter().filter(|attribute| attribute.path().is_ident("cfg"));
    let texts = conditions.filter_map(|attribute| match &attribute.meta {
        Meta::List(list) => Some(list.tokens.to_string().replace(' ', "")),
        _ => None,
    });
    texts.collect::<Vec<_>>().join(",")
}

/// The names that are shown, each with the module it comes from and its own name there.
type ShownNames = BTreeMap<String, (Vec<String>, String)>;

/// True if an item is there only with the feature.
fn is_unstable(attributes: &[Attribute]) -> bool {
    let condition = condition(attributes);
    condition.contains("feature=\"unstable\"") && !condition.contains("not(feature=\"unstable\")")
}

/// The names behind a `use`, each with the module it comes from and its own name there.
fn names(tree: &UseTree, at: &mut Vec<String>, found: &mut ShownNames) {
    match tree {
        UseTree::Path(path) => {
            at.push(path.ident.to_string());
            names(&path.tree, at, found);
            at.pop();
        }
        UseTree::Name(name) => {
            found.insert(name.ident.to_string(), (at.clone(), name.ident.to_string()));
        }
        UseTree::Rename(rename) => {
            found.insert(rename.rename.to_string(), (at.clone(), rename.ident.to_string()));
        }
        UseTree::Glob(_) => panic!("a glob shows names that nobody listed"),
        UseTree::Group(group) => group.items.iter().for_each(|tree| names(tree, at, found)),
    }
}

/// The names that the crate shows, and the functions in its root.
fn shown(text: &str) -> (ShownNames, Vec<String>) {
    let mut found = BTreeMap::new();
    let mut own = Vec::new();
    for item in parse_file(text).expect("the crate's root is Rust").items {
        match item {
            Item::Use(item) if matches!(item.vis, Visibility::Public(_)) && !is_unstable(&item.attrs) => {
                names(&item.tree, &mut Vec::new(), &mut found);
            }
            Item::Mod(item) if matches!(item.vis, Visibility::Public(_)) && !is_unstable(&item.attrs) => {
                panic!("the module `{}` is public without the feature `unstable`", item.ident);
            }
            Item::Fn(item) if matches!(item.vis, Visibility::Public(_)) && !is_unstable(&item.attrs) => {
                own.push(signature(&item.sig));
            }
            _ => {}
        }
    }
    (found, own)
}

/// The texts of a room, sorted by path. A name is public once in a room.
fn room(name: &str) -> Vec<String> {
    fn walk(at: &Path, found: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(at).expect("a folder").flatten() {
            let path = entry.path();
            if path.is_dir() {
                walk(&path, found);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                found.push(path);
            }
        }
    }
    let mut found = Vec::new();
    walk(&crate::parts::core().join(name), &mut found);
    found.sort();
    found.iter().map(|path| std::fs::read_to_string(path).expect("a source file")).collect()
}

/// Tokens as they are written by hand, nearly.
fn tidy(tokens: &impl ToString) -> String {
    let mut text = tokens.to_string();
    for (from, to) in [
        (" :: ", "::"),
        (":: ", "::"),
        (" ::", "::"),
        (" < ", "<"),
        ("< ", "<"),
        (" >", ">"),
        (" (", "("),
        ("( ", "("),
        (" )", ")"),
        (" ,", ","),
        ("& ", "&"),
        (" : ", ": "),
        (" ;", ";"),
        (" [ ", " ["),
        (" ]", "]"),
        ("' ", "'"),
        ("->", " -> "),
        ("  ->  ", " -> "),
    ] {
        text = text.replace(from, to);
    }
    text
}

fn signature(signature: &Signature) -> String {
    use quote::ToTokens;
    tidy(&signature.to_token_stream())
}

/// The item of that name in these texts, as its head and what belongs to it.
fn described(name: &str, texts: &[String]) -> Option<String> {
    use quote::ToTokens;
    let (mut head, mut parts) = (None, BTreeSet::new());
    for item in texts.iter().flat_map(|text| parse_file(text).expect("Rust").items) {
        match item {
            Item::Struct(item) if item.ident == name => {
                let fields = item.fields.iter().filter(|field| matches!(field.vis, Visibility::Public(_)));
                for field in fields {
                    let name = field.ident.as_ref().map_or("0".to_owned(), ToString::to_string);
                    parts.insert(format!("{name}: {}", tidy(&field.ty.to_token_stream())));
                }
                head = Some(format!("struct {name}{}", tidy(&item.generics.to_token_stream())));
            }
            Item::Enum(item) if item.ident == name => {
                parts.extend(item.variants.iter().map(|variant| variant.ident.to_string()));
                head = Some(format!("enum {name}{}", tidy(&item.generics.to_token_stream())));
            }
            Item::Trait(item) if item.ident == name => {
                for item in &item.items {
                    if let TraitItem::Fn(function) = item {
                        parts.insert(signature(&function.sig));
                    }
                }
                head = Some(format!("trait {name}"));
            }
            Item::Type(item) if item.ident == name => {
                head = Some(format!("type {name} = {}", tidy(&item.ty.to_token_stream())));
            }
            Item::Fn(item) if item.sig.ident == name => head = Some(signature(&item.sig)),
            Item::Impl(ItemImpl { trait_: None, self_ty, items, .. }) => {
                let Type::Path(path) = &*self_ty else { continue };
                if path.path.segments.last().is_none_or(|segment| segment.ident != name) {
                    continue;
                }
                for item in items {
                    if let ImplItem::Fn(function) = item
                        && matches!(function.vis, Visibility::Public(_))
                    {
                        parts.insert(signature(&function.sig));
                    }
                }
            }
            _ => {}
        }
    }
    let head = head?;
    Some(parts.iter().fold(head, |text, part| text + "\n    " + part))
}

#[test]
fn the_library_shows_a_short_list() {
    let text = std::fs::read_to_string(root().join("src/lib.rs")).expect("the crate's root");
    let (found, own) = shown(&text);
    let mut listed = String::new();
    for (name, (from, own)) in &found {
        let described = described(own, &room(&from[1]));
        // What another crate declares is shown by its place.
        let described = described.unwrap_or_else(|| format!("{name} of {}", from.join("::")));
        writeln!(listed, "{described}").expect("a String takes all");
    }
    listed.extend(own.iter().map(|function| format!("{function}\n")));
    let count = found.len() + own.len();
    assert!(count <= MAX_NAMES, "{count} names are shown, at most {MAX_NAMES} may be");
    insta::assert_snapshot!(format!("{count} names\n\n{listed}"));
}

#[test]
fn a_public_module_is_seen() {
    let planted =
        "#[cfg(feature = \"unstable\")]\npub mod a;\npub use b::{C, d::E as F};\npub fn g() {}\nmod h;\n";
    let (found, own) = shown(planted);
    assert_eq!(found.keys().collect::<Vec<_>>(), ["C", "F"]);
    assert_eq!(own, ["fn g()"]);
    let shown = std::panic::catch_unwind(|| shown("#[cfg(feature = \"runtime\")]\npub mod a;"));
    assert!(shown.is_err());
}

/// The names of the crate that a program uses, by their first word.
fn used(text: &str) -> BTreeSet<String> {
    struct Seen(BTreeSet<String>);
    impl<'a> syn::visit::Visit<'a> for Seen {
        fn visit_use_tree(&mut self, tree: &'a UseTree) {
            if let UseTree::Path(path) = tree
                && path.ident == "loopwright"
            {
                let mut found = BTreeMap::new();
                names(&path.tree, &mut Vec::new(), &mut found);
                self.0.extend(found.into_values().map(|(from, own)| from.into_iter().next().unwrap_or(own)));
            }
        }
        fn visit_path(&mut self, path: &'a syn::Path) {
            let mut words = path.segments.iter().map(|segment| segment.ident.to_string());
            if words.next().is_some_and(|word| word == "loopwright") {
                self.0.extend(words.next());
            }
            syn::visit::visit_path(self, path);
        }
    }
    let mut seen = Seen(BTreeSet::new());
    syn::visit::Visit::visit_file(&mut seen, &parse_file(text).expect("an example is Rust"));
    seen.0
}

#[test]
fn examples_use_only_what_is_shown() {
    let text = std::fs::read_to_string(root().join("src/lib.rs")).expect("the crate's root");
    let shown: BTreeSet<String> = shown(&text).0.into_keys().collect();
    for entry in std::fs::read_dir(root().join("examples")).expect("the folder").flatten() {
        let path = entry.path();
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        if path.extension().is_none_or(|extension| extension != "rs") || UNSTABLE.contains(&name.as_str()) {
            continue;
        }
        let used = used(&std::fs::read_to_string(&path).expect("an example"));
        assert!(!used.is_empty(), "{name} uses the library");
        let hidden: Vec<_> = used.difference(&shown).collect();
        assert!(hidden.is_empty(), "{name} uses {hidden:?}, which need the feature `unstable`");
    }
    let planted = "use loopwright::{Graph, port::Store};\nfn a() { loopwright::machine::step() }";
    assert_eq!(used(planted), ["Graph", "machine", "port"].map(str::to_owned).into());
}

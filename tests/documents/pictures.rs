//! Each drawing in a document stands below a picture of it, which is the one that the program draws.
//!
//! `LOOPWRIGHT_UPDATE=1` writes the pictures, and the line that shows each.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::{PROGRAM, documents};

const FOLDER: &str = "docs/pictures";

/// Pictures that stand in a document without the drawing as text, with the flags of each.
const ALONE: &[(&str, &[&str])] = &[("graphs/mini.yaml", &[])];

/// A drawing in a document: its graph from the root of the repository, and the flags that say what is drawn.
struct Marker {
    graph: PathBuf,
    flags: Vec<String>,
}

impl Marker {
    fn read(line: &str, document: &Path) -> Option<Self> {
        let words = line.strip_prefix("<!-- loopwright: ")?.strip_suffix(" -->")?;
        let mut words = words.split_whitespace();
        let graph = document.parent()?.join(words.next()?).canonicalize().ok()?;
        let mut flags: Vec<String> = words.map(str::to_owned).collect();
        // A picture is the same in whatever language the text beside it is.
        if let Some(at) = flags.iter().position(|flag| flag == "--as") {
            flags.drain(at..at + 2);
        }
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).canonicalize().ok()?;
        Some(Self { graph: graph.strip_prefix(root).ok()?.to_owned(), flags })
    }

    /// The name of its picture: that of the graph and the flags.
    fn name(&self) -> String {
        let graph = self.graph.with_extension("");
        let folders = graph.iter().skip(1).map(|part| part.to_string_lossy().into_owned());
        let flags = self.flags.iter().map(|flag| flag.trim_start_matches('-').to_owned());
        folders.chain(flags).collect::<Vec<_>>().join("-")
    }

    fn line(&self, document: &Path) -> String {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let below = document.parent().and_then(|folder| folder.strip_prefix(root).ok()).unwrap_or(root);
        // From the top it is in `docs`; pages lie in `docs` or in a folder of it.
        let folder = match below.iter().count() {
            0 => FOLDER.to_owned(),
            depth => "../".repeat(depth - 1) + "pictures",
        };
        let path = format!("{folder}/{}.svg", self.name());
        let flags = if self.flags.is_empty() { String::new() } else { format!(" {}", self.flags.join(" ")) };
        format!("![{}{flags}]({path})", self.graph.display())
    }

    fn draw(&self) -> String {
        let mut command = Command::new(PROGRAM);
        command.current_dir(env!("CARGO_MANIFEST_DIR")).arg("render").arg(&self.graph).args(&self.flags);
        let output = command.args(["--as", "svg"]).output().expect("the program runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).expect("SVG is text")
    }
}

#[test]
fn drawings_in_documents_stand_below_their_pictures() {
    let update = std::env::var_os("LOOPWRIGHT_UPDATE").is_some();
    let mut pictures: BTreeMap<String, Marker> = BTreeMap::new();
    for (graph, flags) in ALONE {
        let flags = flags.iter().map(ToString::to_string).collect();
        let marker = Marker { graph: graph.into(), flags };
        pictures.insert(marker.name(), marker);
    }
    for path in documents().iter().filter(|path| !path.ends_with("docs/drawings.md")) {
        let text = fs::read_to_string(path).expect("a document can be read");
        let mut real: Vec<String> = Vec::new();
        for line in text.lines() {
            if let Some(marker) = Marker::read(line, path) {
                let shown = marker.line(path);
                if real.len() < 2 || real[real.len() - 2] != shown {
                    real.extend([shown, String::new()]);
                }
                pictures.insert(marker.name(), marker);
            }
            real.push(line.to_owned());
        }
        let real = real.join("\n") + "\n";
        if update && real != text {
            fs::write(path, real).expect("the document can be written");
        } else {
            super::similar_asserts(path, &text, &real);
        }
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(FOLDER);
    let mut stale = Vec::new();
    for (name, marker) in &pictures {
        let file = folder.join(format!("{name}.svg"));
        let picture = marker.draw();
        if update {
            fs::write(&file, picture).expect("the picture can be written");
        } else if fs::read_to_string(&file).ok().as_ref() != Some(&picture) {
            stale.push(name.clone());
        }
    }
    // The folder in it has pictures of the page.
    let entries = fs::read_dir(&folder).expect("the folder can be listed").flatten();
    for entry in entries.filter(|entry| entry.path().is_file()) {
        let name = entry.path().with_extension("");
        let name = name.file_name().expect("it has a name").to_string_lossy().into_owned();
        if !pictures.contains_key(&name) {
            stale.push(format!("{name}, which no document shows"));
        }
    }
    assert!(stale.is_empty(), "LOOPWRIGHT_UPDATE=1 draws these anew: {stale:#?}");
    assert!(pictures.len() > 20, "the documents show only {} pictures", pictures.len());
}

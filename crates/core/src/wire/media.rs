//! Images, documents and audio in messages.

use std::sync::Arc;

/// A piece of a message in its place.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum ContentPart {
    Text(String),
    Media(MediaPart),
}

/// A part of a message that is a file.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct MediaPart {
    /// The word of the message for its kind.
    pub(crate) kind: String,
    /// The path of the file; empty where the message names none.
    pub(crate) path: String,
    /// The media type, where the message names one.
    given: Option<String>,
    /// The content, once it was read.
    pub(crate) content: Option<Arc<MediaContent>>,
}

/// The content of a file as providers take it.
#[derive(Debug, PartialEq)]
pub(crate) struct MediaContent {
    pub(crate) media_type: String,
    /// The bytes in Base64.
    pub(crate) base64: String,
    /// The bytes as a text, where they are one.
    pub(crate) text: Option<String>,
}

/// The media types of files, by the ends of their names.
const BY_EXTENSION: [(&str, &str); 10] = [
    ("png", "image/png"),
    ("jpg", "image/jpeg"),
    ("jpeg", "image/jpeg"),
    ("gif", "image/gif"),
    ("webp", "image/webp"),
    ("pdf", "application/pdf"),
    ("txt", "text/plain"),
    ("md", "text/plain"),
    ("wav", "audio/wav"),
    ("mp3", "audio/mpeg"),
];

/// Images that all providers with images take.
const IMAGES: [&str; 4] = ["image/png", "image/jpeg", "image/gif", "image/webp"];

/// The longest media type, in bytes.
const MAX_TYPE: usize = 100;

/// Returns true for an image that all providers with images take.
pub(super) fn is_image(media_type: &str) -> bool {
    IMAGES.contains(&media_type)
}

/// The media type that the end of a name tells.
fn by_extension(path: &str) -> Option<&'static str> {
    let extension = path.rsplit_once('.')?.1.to_ascii_lowercase();
    BY_EXTENSION.iter().find(|(own, _)| *own == extension).map(|(_, media_type)| *media_type)
}

impl MediaPart {
    pub(super) fn new(kind: &str, path: &str, given: Option<&str>) -> Self {
        Self { kind: kind.to_owned(), path: path.to_owned(), given: given.map(str::to_owned), content: None }
    }

    /// The media type of the file.
    ///
    /// # Errors
    /// The part is none that could be sent, in words.
    pub(crate) fn media_type(&self) -> Result<String, String> {
        let Self { kind, path, given, .. } = self;
        if kind == "text" {
            return Err(
                "a part of the kind `text` has no file: use `image`, `document` or `audio`".to_owned()
            );
        }
        if path.is_empty() {
            return Err(format!("a part of the kind `{kind}` names no `file`"));
        }
        let found = match given {
            Some(given) => given.to_ascii_lowercase(),
            None => by_extension(path)
                .ok_or_else(|| {
                    format!("the end of the name `{path}` tells no media type: write `media_type`")
                })?
                .to_owned(),
        };
        let plain = |c: u8| c.is_ascii_alphanumeric() || b"-+._".contains(&c);
        let halves = found.split_once('/').filter(|(a, b)| !a.is_empty() && !b.is_empty());
        let Some((first, rest)) =
            halves.filter(|(a, b)| found.len() <= MAX_TYPE && a.bytes().chain(b.bytes()).all(plain))
        else {
            return Err(format!("`media_type` of `{path}` is no media type, such as `image/png`"));
        };
        let fits = match kind.as_str() {
            "image" | "audio" => first == kind,
            _ => !matches!(first, "image" | "audio" | "video") && !rest.is_empty(),
        };
        if fits {
            Ok(found)
        } else {
            Err(format!("`{path}` is of the type {found}, and its part of the kind `{kind}`"))
        }
    }

    /// The content. Whoever sends the message has read it before.
    pub(super) fn read(&self) -> Option<&MediaContent> {
        self.content.as_deref()
    }

    /// The content as an address that holds it whole.
    pub(super) fn data_url(&self) -> String {
        self.read().map(|read| format!("data:{};base64,{}", read.media_type, read.base64)).unwrap_or_default()
    }

    /// The name of the file.
    pub(super) fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or_default()
    }
}

//! Files that the messages of a call carry.

use std::collections::BTreeMap;
use std::sync::Arc;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;

use super::attempt_error::{AttemptError, short};
use super::model_call::ModelCall;
use crate::machine::SentFile;
use crate::program::error::ErrorKind;
use crate::wire::MediaContent;

/// The most bytes of all files of one request.
const MAX_BYTES: usize = 32 << 20;

impl ModelCall {
    /// Reads the files that its messages carry. Nothing was sent before.
    pub(super) async fn load(&mut self) -> Result<(), AttemptError> {
        let target = &self.entry.config.target;
        let denied = |why: String| AttemptError::new(ErrorKind::Denied, short(&why));
        // A file that several messages carry is read once, and is the same in all of them.
        let mut read: BTreeMap<(String, String), Arc<MediaContent>> = BTreeMap::new();
        let mut sum = 0;
        for message in &mut self.question.messages {
            let may_carry = message.is_from_user();
            for part in message.media_mut() {
                let media_type = part.media_type().map_err(denied)?;
                if !may_carry {
                    return Err(denied(format!("`{}`: only messages of a user carry files", part.path)));
                }
                if !target.takes(&media_type) {
                    let provider = target.provider.name();
                    let why = format!(
                        "the provider `{provider}` takes no files of the type {media_type}: `{}`",
                        part.path
                    );
                    return Err(denied(why));
                }
                let place = (part.path.clone(), media_type.clone());
                if let Some(content) = read.get(&place) {
                    part.content = Some(content.clone());
                    continue;
                }
                let Some(files) = &self.files else {
                    let entry = &self.entry.config.role;
                    return Err(denied(format!(
                        "[models.{entry}] has no `files`: `{}` is not sent",
                        part.path
                    )));
                };
                let bytes = files.read(&part.path).await.map_err(|unread| denied(unread.to_string()))?;
                sum += bytes.len();
                if sum > MAX_BYTES {
                    return Err(denied(format!("the files of the request have more than {MAX_BYTES} bytes")));
                }
                self.sent_files.push(SentFile::new(&part.path, &bytes));
                let base64 = BASE64_STANDARD.encode(&bytes);
                let content =
                    Arc::new(MediaContent { media_type, base64, text: String::from_utf8(bytes).ok() });
                part.content = Some(content.clone());
                read.insert(place, content);
            }
        }
        Ok(())
    }
}

//! The document of the page: landmarks, and the module that fills them.

use maud::{DOCTYPE, Markup, html};

/// The document. It is the same for every address of the page and for everyone: what is shown comes from the API.
pub(super) fn shell() -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { "Loopwright" }
                link rel="icon" href="/page/icon.svg";
                link rel="stylesheet" href="/page/page.css";
                script type="module" src="/page/main.js" {}
            }
            body {
                a class="skip" href="#room" { "To the content" }
                header class="top" {
                    span class="name" { "Loopwright" }
                    nav aria-label="Main" {
                        a href="/" data-view="inbox" { "Inbox" span id="count" {} }
                        a href="/runs" data-view="runs" { "Runs" }
                        a href="/graphs" data-view="graphs" { "Graphs" }
                    }
                    span id="who" {}
                }
                main id="room" tabindex="-1" {
                    noscript { p { "This page needs JavaScript. The same is there without it: `loopwright runs`, `show`, `resume`." } }
                }
                div id="announcements" class="unseen" role="status" aria-live="polite" {}
            }
        }
    }
}

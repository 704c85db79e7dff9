//! The configuration of a run, and what is said of it.

use std::ffi::OsStr;
use std::path::Path;

use super::{consent, noted_consent};
use crate::cli::args::Ports;
use crate::cli::{Exit, screen};
use loopwright_core::app::trust::{Choice, Configuration, ConfigurationFault, FILE_NAME};
use loopwright_core::config::{Policy, quoted};
use loopwright_core::folder;
use loopwright_core::source::Sources;

/// Finds the configuration that is named or [chosen](Choice) for a graph, and says what is wrong with it.
pub(in crate::cli) fn find(ports: &Ports, graph: &str, sources: &mut Sources) -> Result<Configuration, Exit> {
    find_with_servers(ports.config.as_deref(), ports.mcp_config.as_deref(), &ports.trust, graph, sources)
}

/// The same with the flags alone.
pub(in crate::cli) fn find_named(
    named: Option<&Path>,
    trust: &[String],
    graph: &str,
    sources: &mut Sources,
) -> Result<Configuration, Exit> {
    find_with_servers(named, None, trust, graph, sources)
}

/// The same with a file of MCP servers beside it, if one is named.
pub(in crate::cli) fn find_with_servers(
    named: Option<&Path>,
    servers: Option<&Path>,
    trust: &[String],
    graph: &str,
    sources: &mut Sources,
) -> Result<Configuration, Exit> {
    let consent = consent(trust)?;
    let configuration = match Choice::of(named, graph, &consent) {
        None => Configuration::none(),
        Some(choice) => {
            say(&choice);
            choice.read(&consent, sources).map_err(|fault| refuse(&fault, sources))?
        }
    };
    match servers {
        None => Ok(configuration),
        Some(servers) => {
            configuration.with_servers(servers, &consent, sources).map_err(|fault| refuse(&fault, sources))
        }
    }
}

/// The choice of a configuration for a graph, if there is one; the file is not opened.
pub(in crate::cli) fn choose(ports: &Ports, graph: &str) -> Result<Option<Choice>, Exit> {
    Ok(Choice::of(ports.config.as_deref(), graph, &consent(&ports.trust)?))
}

/// The rules of the policies that count for a graph.
pub(in crate::cli) fn policy(ports: &Ports, graph: &str, sources: &mut Sources) -> Result<Policy, Exit> {
    let Some(choice) = choose(ports, graph)? else { return Ok(Policy::default()) };
    choice.policy(sources).map_err(|faults| refuse(&ConfigurationFault::Findings(faults), sources))
}

/// Returns true if the user allowed what the configuration of a folder asks for.
pub(in crate::cli) fn is_trusted_in(folder: &Path) -> bool {
    Configuration::is_trusted_in(folder, &noted_consent())
}

/// Says which of two files is taken.
fn say(choice: &Choice) {
    let Some(left) = &choice.left else { return };
    let why = if choice.trusted { "" } else { ", which was not allowed" };
    let (taken, left) = (screen::path(&choice.taken), screen::path(left));
    screen::say(&format!("note: {taken} is used, not {left}{why}\n"));
}

/// Says what is wrong with a configuration.
pub(super) fn refuse(fault: &ConfigurationFault, sources: &Sources) -> Exit {
    match fault {
        ConfigurationFault::Refused(why) => screen::refuse(&screen::line(why)),
        ConfigurationFault::Findings(findings) => {
            screen::findings(findings, sources);
            Exit::of(findings).worse(Exit::Findings)
        }
    }
}

/// All that a question about the file may show of it.
pub(in crate::cli) fn requests(configuration: &Configuration) -> String {
    let Some(file) = &configuration.file else { return String::new() };
    let mut requests = screen::path(&file.path);
    let commands = configuration.config.tools.iter();
    let commands = commands.flat_map(|command| {
        [screen::asked(&configuration.command_line(command)), screen::asked(&command.description)]
    });
    for line in file.reaches.iter().map(|reach| screen::asked(&reach.to_string())).chain(commands) {
        requests.push('\n');
        requests.push_str(&line);
    }
    requests
}

/// The words by which the command `trust` finds a configuration.
pub(super) fn trust_words(path: &Path) -> String {
    let own = path.file_name() == Some(OsStr::new(FILE_NAME));
    let path = if own { folder::of(path) } else { path };
    quoted(&path.to_string_lossy())
}

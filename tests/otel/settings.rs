//! What the environment may ask for.

use std::fmt::Write as _;

use crate::cli::Desk;

const RUN: &str = "run graphs/tour/sum.yaml --script graphs/tour/sum.script.yaml";

#[test]
fn what_cannot_be_is_said_in_a_line_and_the_run_goes_on() {
    let desk = Desk::new();
    let quiet = desk.run(RUN);
    let mut said = String::new();
    for env in [
        [("OTEL_EXPORTER_OTLP_ENDPOINT", "collector"), ("OTEL_SERVICE_NAME", "agent")],
        [("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:1"), ("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc")],
        [("OTEL_TRACES_EXPORTER", "console"), ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:1")],
        [("OTEL_TRACES_EXPORTER", "none"), ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:1")],
        [("OTEL_SDK_DISABLED", "true"), ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:1")],
    ] {
        let ran = desk.run_with(RUN, &env);
        assert_eq!((ran.code, &ran.stdout), (quiet.code, &quiet.stdout), "{}", ran.transcript());
        let more = ran.stderr.replace(&quiet.stderr, "");
        let _ = write!(said, "{env:?}\n{more}");
    }
    insta::assert_snapshot!(said);
}

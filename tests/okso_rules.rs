//! The rules of the okso loop, read once more from its description: what a run must come to, given its inputs and what models and
//! tools say. It knows nothing of the graph.

use serde_json::{Value as Json, json};

/// What a model or a tool says.
#[derive(Debug, Clone)]
pub(crate) enum Said {
    Value(Json),
    /// It fails with an error of this kind.
    Error(&'static str),
}

/// What a run is given. Answers are handed out in order; each list is longer than any run.
#[derive(Debug)]
pub(crate) struct Given {
    pub(crate) inputs: Json,
    /// Names of the tools on offer.
    pub(crate) offered: Vec<&'static str>,
    pub(crate) executor: Vec<Said>,
    pub(crate) planner: Vec<Said>,
    pub(crate) fallback: Said,
    pub(crate) tools: Vec<Said>,
}

/// The arguments that each tool takes, as a schema. Of any other tool nothing is known.
pub(crate) fn schema(tool: &str) -> Json {
    match tool {
        "alpha" => json!({
            "type": "object", "required": ["n"], "additionalProperties": false, "properties": {"n": {"type": "integer"}},
        }),
        "gamma" => json!({"type": "object", "properties": {"input": {"type": "string"}}}),
        _ => json!({}),
    }
}

/// The same in words of its own.
fn fit(tool: &str, args: &Json) -> bool {
    let Some(args) = args.as_object() else { return false };
    match tool {
        "alpha" => args.len() == 1 && args.get("n").is_some_and(Json::is_i64),
        "gamma" => args.get("input").is_none_or(Json::is_string),
        "final_answer" => args.len() == 1 && args.get("input").is_some_and(Json::is_string),
        _ => true,
    }
}

/// Equal as JSON values: keys have no order, numbers are compared by value.
fn equal(one: &Json, other: &Json) -> bool {
    match (one, other) {
        (Json::Number(one), Json::Number(other)) => one.as_f64() == other.as_f64(),
        (Json::Array(one), Json::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| equal(one, other))
        }
        (Json::Object(one), Json::Object(other)) => {
            let same =
                |(key, value): (&String, &Json)| other.get(key).is_some_and(|other| equal(value, other));
            one.len() == other.len() && one.iter().all(same)
        }
        _ => one == other,
    }
}

fn is_text(value: &Json) -> bool {
    value.as_str().is_some_and(|text| !text.trim().is_empty())
}

/// How a call ended.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Code {
    None,
    Zero,
    Other,
}

/// A run under the rules.
pub(crate) struct Loop<'a> {
    given: &'a Given,
    plan: Vec<Json>,
    buffer: i64,
    threshold: i64,
    max_replans: i64,
    max_plan_rows: i64,
    pub(crate) ceiling: i64,
    use_model: bool,
    attempts: i64,
    max_steps: i64,
    step: i64,
    retry_count: i64,
    failure_count: i64,
    plan_index: usize,
    replans: i64,
    plan_skip_reason: &'static str,
    pending_plan_step: Option<usize>,
    latch: bool,
    last: Option<(String, Json, Code)>,
    final_answer: Option<String>,
    calls: Vec<Json>,
}

impl<'a> Loop<'a> {
    pub(crate) fn new(given: &'a Given) -> Self {
        let number = |name: &str| given.inputs[name].as_i64().expect("every number is given");
        let or_two = |number: i64, least: i64| if number < least { 2 } else { number };
        let plan = given.inputs["plan_entries"].as_array().expect("there is a plan").clone();
        let rows = i64::try_from(plan.len()).expect("plans are short");
        let buffer = or_two(number("retry_buffer"), 0);
        let (max_replans, max_plan_rows) = (number("max_replans").max(0), number("max_plan_rows").max(0));
        Self {
            given,
            plan,
            buffer,
            threshold: or_two(number("replan_failure_threshold"), 1),
            max_replans,
            max_plan_rows,
            ceiling: buffer + rows + max_replans * (max_plan_rows + buffer),
            use_model: given.inputs["use_model"] == true,
            attempts: 0,
            max_steps: rows + buffer,
            step: 0,
            retry_count: 0,
            failure_count: 0,
            plan_index: 0,
            replans: 0,
            plan_skip_reason: "",
            pending_plan_step: None,
            latch: false,
            last: None,
            final_answer: None,
            calls: Vec::new(),
        }
    }

    /// What the run comes to.
    pub(crate) fn end(mut self) -> Json {
        while self.attempts < self.max_steps && self.final_answer.is_none() {
            self.attempt();
        }
        let complete = self.final_answer.is_some();
        let query = &self.given.inputs["user_query"];
        let sorry = format!("LLM unavailable. Request received: {}", query.as_str().unwrap_or_default());
        let answer = self.final_answer.unwrap_or_else(|| match &self.given.fallback {
            Said::Value(Json::String(text)) if self.use_model => text.clone(),
            _ => sorry,
        });
        json!({
            "attempts": self.attempts,
            "step": self.step,
            "retry_count": self.retry_count,
            "failure_count": self.failure_count,
            "plan_index": self.plan_index,
            "replans": self.replans,
            "max_steps": self.max_steps,
            "plan_skip_reason": self.plan_skip_reason,
            "pending_plan_step": self.pending_plan_step,
            "latch": self.latch,
            "final_answer": answer,
            "fallback": !complete,
            "calls": self.calls,
        })
    }

    fn attempt(&mut self) {
        self.attempts += 1;
        let row = self.plan.get(self.plan_index).cloned();
        let pending = row.as_ref().map(|_| self.plan_index);
        if pending.is_none() || pending != self.pending_plan_step {
            self.plan_skip_reason = "";
        }
        self.pending_plan_step = pending;
        let Some((tool, args)) = self.select(row.as_ref()) else {
            return self.skip("action_selection_failed");
        };
        let allowed = self.given.inputs["allowed_tools"].as_array().expect("tools are allowed");
        if !allowed.iter().any(|one| *one == tool) {
            return self.skip("tool_not_permitted");
        }
        let answering = tool == "final_answer";
        let repeats = |(last, old, code): &(String, Json, Code)| {
            *code == Code::Zero && *last == tool && equal(old, &args)
        };
        if !answering && self.last.as_ref().is_some_and(repeats) {
            return self.skip("duplicate_action");
        }
        let matches = row.as_ref().is_some_and(|row| row["tool"] == tool);
        if row.is_some() && !matches && !answering {
            self.skip("plan_tool_mismatch");
            if !self.latch {
                self.latch = true;
                self.replan(false);
            }
            return;
        }
        self.latch &= !matches;
        let code = self.run(&tool, &args);
        self.last = Some((tool, args.clone(), code));
        match code {
            Code::Zero => {
                self.step += 1;
                self.failure_count = 0;
                if matches {
                    self.plan_index += 1;
                    self.pending_plan_step = None;
                    self.plan_skip_reason = "";
                }
                if answering {
                    self.final_answer = args["input"].as_str().map(str::to_owned);
                }
            }
            Code::None => self.retry_count += 1,
            Code::Other => {
                self.retry_count += 1;
                self.failure_count += 1;
                if self.failure_count % self.threshold == 0 {
                    self.replan(true);
                }
            }
        }
    }

    /// The tool and its arguments, if there is an action.
    fn select(&self, row: Option<&Json>) -> Option<(String, Json)> {
        let tool_of = |action: &Json| action["tool"].as_str().map(str::to_owned);
        if !self.use_model {
            let row = row?;
            return Some((tool_of(row)?, row.get("args").cloned().unwrap_or_else(|| json!({}))));
        }
        // Each attempt asks once.
        let asked = usize::try_from(self.attempts - 1).expect("attempts are counted from 1");
        let Said::Value(action) = &self.given.executor[asked] else { return None };
        let fields = action.as_object()?;
        let tool = tool_of(action)?;
        let known = tool == "final_answer"
            || self.given.inputs["allowed_tools"].as_array()?.iter().any(|one| *one == tool);
        let fits = !self.given.offered.contains(&tool.as_str()) && tool != "final_answer"
            || fit(&tool, &action["args"]);
        let valid = fields.len() == 3 && is_text(&action["thought"]) && known && action["args"].is_object();
        (valid && fits).then(|| (tool, action["args"].clone()))
    }

    fn run(&mut self, tool: &str, args: &Json) -> Code {
        if tool == "final_answer" {
            return if is_text(&args["input"]) { Code::Zero } else { Code::Other };
        }
        if !self.given.offered.contains(&tool) {
            return Code::Other;
        }
        let said = &self.given.tools[self.calls.len()];
        self.calls.push(json!({"tool": tool, "args": args}));
        match said {
            Said::Error("denied") => Code::None,
            Said::Error(_) => Code::Other,
            Said::Value(value) => match value["exit_code"].as_i64() {
                None => Code::None,
                Some(0) => Code::Zero,
                Some(_) => Code::Other,
            },
        }
    }

    fn skip(&mut self, reason: &'static str) {
        self.retry_count += 1;
        if self.plan_skip_reason.is_empty() {
            self.plan_skip_reason = reason;
        }
    }

    fn replan(&mut self, failed: bool) {
        if self.replans >= self.max_replans {
            return;
        }
        let said = &self.given.planner[usize::try_from(self.replans).expect("replans are counted from 0")];
        self.replans += 1;
        let rows = match said {
            Said::Value(Json::Array(rows)) => rows.clone(),
            Said::Value(value) => value["plan"].as_array().cloned().unwrap_or_default(),
            Said::Error(_) => Vec::new(),
        };
        let number = i64::try_from(rows.len()).expect("plans are short");
        if (1..=self.max_plan_rows).contains(&number) && rows.iter().all(|row| is_text(&row["tool"])) {
            self.plan = rows;
            self.max_steps = self.ceiling.min(self.max_steps.max(self.attempts + number + self.buffer));
        } else if failed && self.use_model {
            self.plan.clear();
        } else {
            return;
        }
        self.plan_index = 0;
        self.pending_plan_step = None;
        self.plan_skip_reason = "";
    }
}

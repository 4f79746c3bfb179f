/** What models write when they are asked for a thought and an action or an answer, and what is to be made of it. */
export type ReactOutput = {
  title: string;
  text: string;
  thought?: string;
  /** The arguments are compared as values. */
  action?: [name: string, args: Record<string, unknown>];
  answer?: string;
  problem?: RegExp;
};

const neither = /neither an Action nor a Final Answer/;
const fence = "```";

export const reactOutputs: readonly ReactOutput[] = [
  {
    title: "a thought, an action and its arguments",
    text: 'Thought: I look it up.\nAction: search\nArgs: {"query": "rain"}',
    thought: "I look it up.",
    action: ["search", { query: "rain" }],
  },
  {
    title: "a thought and an answer",
    text: "Thought: I know.\nFinal Answer: 42",
    thought: "I know.",
    answer: "42",
  },
  {
    title: "a thought of several lines",
    text: "Thought: First this.\nThen that.\n\nAnd so on.\nAction: search\nArgs: {}",
    thought: "First this.\nThen that.\n\nAnd so on.",
    action: ["search", {}],
  },
  {
    title: "an answer of several lines keeps them",
    text: "Thought: done\nFinal Answer: one\ntwo\n\n  three",
    thought: "done",
    answer: "one\ntwo\n\n  three",
  },
  {
    title: "an answer that is JSON stays text",
    text: 'Thought: as asked\nFinal Answer: {"city": "Bern", "rain": false}',
    thought: "as asked",
    answer: '{"city": "Bern", "rain": false}',
  },
  {
    title: "an answer that is JSON on lines of its own",
    text: 'Thought: as asked\nFinal Answer:\n{\n  "city": "Bern"\n}',
    thought: "as asked",
    answer: '{\n  "city": "Bern"\n}',
  },
  {
    title: "a fence around everything",
    text: `${fence}\nThought: a\nAction: search\nArgs: {"query": "b"}\n${fence}`,
    thought: "a",
    action: ["search", { query: "b" }],
  },
  {
    title: "a fence with a language around an answer",
    text: `${fence}text\nThought: a\nFinal Answer: b\nc\n${fence}\n`,
    thought: "a",
    answer: "b\nc",
  },
  {
    title: "an answer with code in a fence keeps the fence",
    text: `Thought: a\nFinal Answer: Run\n${fence}sh\nls\n${fence}`,
    thought: "a",
    answer: `Run\n${fence}sh\nls\n${fence}`,
  },
  {
    title: "code in an answer inside a fence around everything",
    text: `${fence}\nThought: a\nFinal Answer: Run\n${fence}sh\nls\n${fence}\n${fence}`,
    thought: "a",
    answer: `Run\n${fence}sh\nls\n${fence}`,
  },
  {
    title: "an answer that is a block of code",
    text: `Final Answer:\n${fence}ts\nlet a = {};\n${fence}\n`,
    thought: "",
    answer: `${fence}ts\nlet a = {};\n${fence}`,
  },
  {
    title: "arguments in a fence",
    text: `Thought: a\nAction: search\nArgs:\n${fence}json\n{"query": "b"}\n${fence}`,
    thought: "a",
    action: ["search", { query: "b" }],
  },
  {
    title: "arguments in a fence on the line of their label",
    text: `Thought: a\nAction: search\nArgs: ${fence}json\n{"query": "b"}\n${fence}`,
    thought: "a",
    action: ["search", { query: "b" }],
  },
  {
    title: "arguments between single backticks",
    text: 'Thought: a\nAction: `search`\nArgs: `{"query": "b"}`',
    thought: "a",
    action: ["search", { query: "b" }],
  },
  {
    title: "a fence that begins at the action",
    text: `Thought: a\n${fence}\nAction: search\nArgs: {"query": "b"}\n${fence}`,
    thought: "a",
    action: ["search", { query: "b" }],
  },
  {
    title: "a name in quotes",
    text: 'Thought: a\nAction: "search"\nArgs: {}',
    thought: "a",
    action: ["search", {}],
  },
  {
    title: "a name in many quotes",
    text: 'Thought: a\nAction: ""\'search\'""\nArgs: {}',
    thought: "a",
    action: ["search", {}],
  },
  {
    title: "a name in brackets with a full stop",
    text: "Thought: a\nAction: [search].\nArgs: {}",
    thought: "a",
    action: ["search", {}],
  },
  {
    title: "no arguments at all",
    text: "Thought: a\nAction: now",
    thought: "a",
    action: ["now", {}],
  },
  {
    title: "an empty label of arguments",
    text: "Thought: a\nAction: now\nArgs:\n",
    thought: "a",
    action: ["now", {}],
  },
  {
    title: "arguments that are said to be none",
    text: "Thought: a\nAction: now\nArgs: None",
    thought: "a",
    action: ["now", {}],
  },
  {
    title: "braces in a text",
    text: 'Thought: a\nAction: write\nArgs: {"code": "if (x) { y() } }}", "n": {"m": 1}} and more',
    thought: "a",
    action: ["write", { code: "if (x) { y() } }}", n: { m: 1 } }],
  },
  {
    title: "escaped quotes and backslashes in a text",
    text: String.raw`Thought: a
Action: write
Args: {"path": "C:\\", "text": "she said \"}\" and left"}`,
    thought: "a",
    action: ["write", { path: "C:\\", text: 'she said "}" and left' }],
  },
  {
    title: "arguments over several lines",
    text: 'Thought: a\nAction: write\nArgs: {\n  "a": [1, 2],\n\n  "b": null\n}',
    thought: "a",
    action: ["write", { a: [1, 2], b: null }],
  },
  {
    title: "line breaks in a text that are not escaped",
    text: 'Thought: a\nAction: write\nArgs: {"text": "one\ntwo\n\tthree\nObservation: four"}',
    thought: "a",
    action: ["write", { text: "one\ntwo\n\tthree\nObservation: four" }],
  },
  {
    title: "an object without its label",
    text: 'Thought: a\nAction: search\n{"query": "b"}',
    thought: "a",
    action: ["search", { query: "b" }],
  },
  {
    title: "a name and arguments on lines of their own",
    text: 'Thought:\na\nAction:\nsearch\nArgs:\n{"query": "b"}',
    thought: "a",
    action: ["search", { query: "b" }],
  },
  {
    title: "a word before the label does not make one",
    text: "Thought: The next Action: search would help, and Final Answer: no.\nAction: search\nArgs: {}",
    thought: "The next Action: search would help, and Final Answer: no.",
    action: ["search", {}],
  },
  {
    title: "items of a list are no labels",
    text: "Thought: a plan\n- Action: one\n* Action: two\n1. Final Answer: three\nAction: search\nArgs: {}",
    thought: "a plan\n- Action: one\n* Action: two\n1. Final Answer: three",
    action: ["search", {}],
  },
  {
    title: "words that only begin like a label",
    text: "Thought: a\nActions: many\nAction inventory: none\nThoughtful: yes\nFinal Answers: b\nFinal Answer: c",
    thought: "a\nActions: many\nAction inventory: none\nThoughtful: yes\nFinal Answers: b",
    answer: "c",
  },
  {
    title: "labels in other case",
    text: 'THOUGHT: a\naction: search\nARGS: {"query": "b"}',
    thought: "a",
    action: ["search", { query: "b" }],
  },
  {
    title: "labels in bold",
    text: '**Thought:** a\n**Action:** search\n**Args:** {"query": "b"}',
    thought: "a",
    action: ["search", { query: "b" }],
  },
  {
    title: "labels in bold before the colon, and a bold name",
    text: "**Thought**: a\n**Action**: **search**\n**Args**: {}",
    thought: "a",
    action: ["search", {}],
  },
  {
    title: "a bold line that begins with a label",
    text: "Thought: a\n**Action: search**\nArgs: {}",
    thought: "a",
    action: ["search", {}],
  },
  {
    title: "a bold answer stays bold",
    text: "**Final Answer:** **42**",
    thought: "",
    answer: "**42**",
  },
  {
    title: "labels as headings",
    text: "### Thought:\na\n### Final Answer:\nb",
    thought: "a",
    answer: "b",
  },
  {
    title: "labels with a number before them, from the first on",
    text: '1. Thought: a\n2) Action: search\n3. Args: {"q": "x"}',
    thought: "a",
    action: ["search", { q: "x" }],
  },
  {
    title: "headings without a colon",
    text: '## Thought\na\n\n## Action\nsearch\n\n## Args\n{"q": "x"}',
    thought: "a",
    action: ["search", { q: "x" }],
  },
  {
    title: "a heading in an answer",
    text: "Final Answer: A report.\n## Observation\nIt rains.",
    thought: "",
    answer: "A report.\n## Observation\nIt rains.",
  },
  {
    title: "an answer with an action in it is an answer, and nothing is called",
    text: "Final Answer: done\nAction: echo\nArgs: {}",
    thought: "",
    answer: "done\nAction: echo\nArgs: {}",
  },
  {
    title: "numbered labels",
    text: 'Thought 1: a\nAction 1: search\nAction Input 1: {"query": "b"}',
    thought: "a",
    action: ["search", { query: "b" }],
  },
  {
    title: "the label that other agents use for arguments",
    text: 'Thought: a\nAction: search\nAction Input: {"query": "b"}',
    thought: "a",
    action: ["search", { query: "b" }],
  },
  {
    title: "wide colons",
    text: 'Thought：a\nAction：search\nArgs：{"query": "雨"}',
    thought: "a",
    action: ["search", { query: "雨" }],
  },
  {
    title: "line ends of Windows",
    text: 'Thought: a\r\nb\r\nAction: search\r\nArgs: {"query":\r\n"c"}\r\n',
    thought: "a\nb",
    action: ["search", { query: "c" }],
  },
  {
    title: "an invented observation and all that follows from it",
    text: "Thought: a\nAction: search\nArgs: {}\nObservation: sunny\nThought: b\nFinal Answer: sunny",
    thought: "a",
    action: ["search", {}],
  },
  {
    title: "an invented observation where arguments are missing",
    text: "Thought: a\nAction: now\nObservation: noon\nFinal Answer: noon",
    thought: "a",
    action: ["now", {}],
  },
  {
    title: "an observation behind an answer",
    text: "Thought: a\nFinal Answer: b\nObservation: c",
    thought: "a",
    answer: "b",
  },
  {
    title: "an observation repeated before anything is asked",
    text: "Observation: sunny\nThought: I see.\nFinal Answer: sunny",
    thought: "Observation: sunny\nI see.",
    answer: "sunny",
  },
  {
    title: "of two actions the first",
    text: 'Thought: a\nAction: one\nArgs: {"n": 1}\nAction: two\nArgs: {"n": 2}',
    thought: "a",
    action: ["one", { n: 1 }],
  },
  {
    title: "of an action and an answer the first",
    text: 'Thought: a\nAction: one\nArgs: {"n": 1}\nFinal Answer: done',
    thought: "a",
    action: ["one", { n: 1 }],
  },
  {
    title: "no action, and so the answer",
    text: "Thought: I need no tool.\nAction: None\nFinal Answer: 42",
    thought: "I need no tool.",
    answer: "42",
  },
  {
    title: "labels inside an answer",
    text: "Final Answer: Do this.\nAction: restart it\nThought: none",
    thought: "",
    answer: "Do this.\nAction: restart it\nThought: none",
  },
  {
    title: "a thought without its label",
    text: "I should look.\n\nAction: search\nArgs: {}",
    thought: "I should look.",
    action: ["search", {}],
  },
  {
    title: "a polite beginning and a fence",
    text: `Sure! Here it is:\n${fence}\nThought: a\nAction: search\nArgs: {}\n${fence}`,
    thought: "Sure! Here it is:\na",
    action: ["search", {}],
  },
  {
    title: "thinking aloud in tags, with labels in it",
    text: "<think>\nMaybe Action: no.\nAction: wrong\n</think>\n\nThought: a\nAction: right\nArgs: {}",
    thought: "Maybe Action: no.\nAction: wrong\na",
    action: ["right", {}],
  },
  {
    title: "an explanation between action and arguments",
    text: 'Thought: a\nAction: search\nI use {this} one.\nArgs: {"query": "b"}',
    thought: "a",
    action: ["search", { query: "b" }],
  },
  {
    title: "a bold line that is an answer",
    text: "**Thought: I know.**\n**Final Answer: 42**",
    thought: "I know.",
    answer: "42",
  },
  {
    title: "a bold line that ends with bold words",
    text: "**Final Answer: use **this**",
    thought: "",
    answer: "use **this**",
  },
  {
    title: "an object behind the name",
    text: 'Thought: a\nAction: search {"query": "b"}\nObservation: c',
    thought: "a",
    action: ["search", { query: "b" }],
  },
  {
    title: "a call as in a program",
    text: 'Thought: a\nAction: search({"query": "b"})',
    thought: "a",
    action: ["search", { query: "b" }],
  },
  {
    title: "action and arguments on one line",
    text: 'Thought: a\nAction: search, Args: {"query": "b"}',
    thought: "a",
    action: ["search", { query: "b" }],
  },
  {
    title: "an action that is JSON has no name",
    text: 'Thought: a\nAction: {"name": "search"}',
    thought: "a",
    problem: /Action has no name/,
  },
  { title: "nothing", text: "", problem: /Nothing was said/ },
  { title: "blanks", text: " \n\t\n ", problem: /Nothing was said/ },
  { title: "a thought only", text: "Thought: hm", thought: "hm", problem: neither },
  { title: "prose", text: "It is sunny.", thought: "It is sunny.", problem: neither },
  {
    title: "an action without a name",
    text: "Action:\nArgs: {}",
    thought: "",
    problem: /Action has no name/,
  },
  {
    title: "an empty answer",
    text: "Thought: a\nFinal Answer: \n",
    thought: "a",
    problem: /Answer is empty/,
  },
  {
    title: "broken arguments",
    text: "Thought: a\nAction: search\nArgs: {query: b}",
    thought: "a",
    problem: /JSON of Args is broken at position 1/,
  },
  {
    title: "arguments in the quotes of Python",
    text: "Thought: a\nAction: search\nArgs: {'query': 'b', 'all': True,}",
    thought: "a",
    action: ["search", { query: "b", all: true }],
  },
  {
    title: "an apostrophe in the quotes of Python",
    text: "Thought: a\nAction: search\nArgs: {'query': 'it's b'}",
    thought: "a",
    problem: /JSON of Args is broken at position 14\./,
  },
  {
    title: "arguments that were cut off",
    text: 'Thought: a\nAction: search\nArgs: {"query": "b',
    thought: "a",
    problem: /JSON of Args ends too early/,
  },
  {
    title: "a list as arguments",
    text: 'Thought: a\nAction: search\nArgs: ["b"]',
    thought: "a",
    problem: /must be a JSON object/,
  },
  {
    title: "a text as arguments",
    text: "Thought: a\nAction: search\nArgs: weather in {Bern}",
    thought: "a",
    problem: /must be a JSON object/,
  },
];

import type { Message } from '../api/types.ts';

export interface Poll {
  kind: 'poll';
  question: string;
  options: { key: string; name: string; voters: number[] }[];
}

export interface TodoList {
  kind: 'todo';
  title: string;
  tasks: { key: string; task: string; description: string; done: boolean }[];
}

/** widget replays the submessages of a message. It skips malformed ones, since anybody can send them. */
export function widget(m: Message): Poll | TodoList | undefined {
  const [first, ...rest] = m.submessages;
  const start = parse(first?.content);
  const extra = object(start?.extra_data) ?? {};
  if (start?.widget_type === 'poll') {
    const poll: Poll = { kind: 'poll', question: string(extra.question), options: [] };
    array(extra.options).forEach((o, i) => poll.options.push({ key: `canned,${i}`, name: string(o), voters: [] }));
    for (const s of rest) vote(poll, parse(s.content), s.sender_id, m.sender_id);
    return poll;
  }
  if (start?.widget_type === 'todo') {
    const list: TodoList = { kind: 'todo', title: string(extra.task_list_title), tasks: [] };
    array(extra.tasks).forEach((t, i) => {
      const task = object(t) ?? {};
      list.tasks.push({ key: `${i},canned`, task: string(task.task), description: string(task.desc), done: false });
    });
    for (const s of rest) work(list, parse(s.content), s.sender_id, m.sender_id);
    return list;
  }
  return undefined;
}

type Json = Record<string, unknown>;

function vote(poll: Poll, e: Json | undefined, sender: number, author: number): void {
  if (e?.type === 'question' && sender === author) poll.question = string(e.question);
  if (e?.type === 'new_option') {
    const key = `${sender},${Number(e.idx)}`;
    const name = string(e.option);
    if (name && !poll.options.some((o) => o.key === key || o.name === name))
      poll.options.push({ key, name, voters: [] });
  }
  if (e?.type === 'vote') {
    const option = poll.options.find((o) => o.key === e.key);
    if (!option) return;
    option.voters = option.voters.filter((v) => v !== sender);
    if (e.vote === 1) option.voters.push(sender);
  }
}

function work(list: TodoList, e: Json | undefined, sender: number, author: number): void {
  if (e?.type === 'new_task_list_title' && sender === author) list.title = string(e.title);
  if (e?.type === 'new_task') {
    const key = `${Number(e.key)},${sender}`;
    const task = string(e.task);
    if (task && !list.tasks.some((t) => t.key === key || t.task === task)) {
      list.tasks.push({ key, task, description: string(e.desc), done: e.completed === true });
    }
  }
  if (e?.type === 'strike') {
    const task = list.tasks.find((t) => t.key === e.key);
    if (task) task.done = !task.done;
  }
}

function parse(text: string | undefined): Json | undefined {
  try {
    return object(JSON.parse(text ?? ''));
  } catch {
    return undefined;
  }
}

const isObject = (v: unknown): v is Json => typeof v === 'object' && v !== null && !Array.isArray(v);
const object = (v: unknown) => (isObject(v) ? v : undefined);
const string = (v: unknown) => (typeof v === 'string' ? v : '');
const array = (v: unknown): unknown[] => (Array.isArray(v) ? v : []);

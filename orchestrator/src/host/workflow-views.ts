import type { Loaded, Machines, Workflow } from '../machine/port.ts';
import type { JsonValue } from '../run/json.ts';
import type { WorkflowView } from '../run/views.ts';

/** What the workflow is, as readers are shown it: nothing of it runs. */
export function workflowViews(machines: Machines, { workflows, refused }: Loaded): WorkflowView[] {
  const ready = [...workflows.values()].map((workflow) => readyView(machines, workflow));
  const not = [...refused.values()].map(
    ({ name, findings }): WorkflowView => ({
      name,
      status: 'refused',
      findings: findings.map((finding) => ({ ...finding })),
    }),
  );
  return [...ready, ...not].sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
}

function readyView(machines: Machines, workflow: Workflow): WorkflowView {
  const agents = Object.keys(workflow.agents).map((name) => ({ name, menu: machines.menu(workflow, name) }));
  const { name, inputJson, authored } = workflow;
  // Functions have no JSON: the definition is states, transitions and names.
  const definition = JSON.parse(JSON.stringify(authored.definition)) as JsonValue;
  return { name, status: 'ready', inputSchema: inputJson, agents, definition };
}

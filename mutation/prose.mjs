import { declareValuePlugin, PluginKind } from '@stryker-mutator/api/plugin';

/** What a rule says of itself: no verdict and no finding depends on it, and the rule pages show it. */
const PROSE = new Set([
  'passing',
  'why',
  'evidence',
  'needs',
  'unjudged',
  'action',
  'source',
  'options',
  'example',
  'table',
]);

/** What a class of gated commands says of itself likewise. */
const CLASS_PROSE = new Set(['description', 'gated', 'harmless']);

const isDescriptionOfRule = (path) => {
  const call = path.parentPath?.parentPath;
  return call?.isCallExpression() && call.node.callee.name === 'defineRule';
};
/** Whether a property stands in an object of the list of classes. */
const isInClass = (path) => {
  const list = path.parentPath?.parentPath?.parentPath;
  return list?.isVariableDeclarator() && list.node.id.name === 'GATED_CLASSES';
};

/** Leaves out what stands in a description; the same names elsewhere are code. */
const prose = {
  shouldIgnore(path) {
    if (!path.isObjectProperty()) return undefined;
    const { name } = path.node.key;
    const isProse = (PROSE.has(name) && isDescriptionOfRule(path)) || (CLASS_PROSE.has(name) && isInClass(path));
    return isProse ? 'a description changes no verdict' : undefined;
  },
};

export const strykerPlugins = [declareValuePlugin(PluginKind.Ignore, 'prose', prose)];

import { declareValuePlugin, PluginKind } from '@stryker-mutator/api/plugin';

/** What a rule says of itself: no verdict and no finding depends on it, and the rule pages show it. */
const PROSE = new Set(['passing', 'why', 'evidence', 'needs', 'unjudged', 'action', 'source', 'options', 'example']);

/** Leaves out what stands in a rule's description; the same names elsewhere are code. */
const prose = {
  shouldIgnore(path) {
    const call = path.parentPath?.parentPath;
    const isDescription = call?.isCallExpression() && call.node.callee.name === 'defineRule';
    return isDescription && path.isObjectProperty() && PROSE.has(path.node.key.name)
      ? 'a description changes no verdict'
      : undefined;
  },
};

export const strykerPlugins = [declareValuePlugin(PluginKind.Ignore, 'prose', prose)];

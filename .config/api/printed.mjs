// A declaration as text: without comments, without what is private, without the files that types come from.
import ts from 'typescript';

const printer = ts.createPrinter({ removeComments: true, newLine: ts.NewLineKind.LineFeed });

/** The lines of the declarations of one name, overloads and merged interfaces in the order of their text. */
export function printed(declarations) {
  return declarations
    .map((node) => printer.printNode(ts.EmitHint.Unspecified, bare(statementOf(node)), node.getSourceFile()))
    .map((text) => text.replace(/^(?:export |declare |default )+/, ''))
    .sort()
    .flatMap((text) => text.split('\n'));
}

/** A variable is told with its statement. */
function statementOf(node) {
  return ts.isVariableDeclaration(node) ? node.parent.parent : node;
}

function bare(declaration) {
  const { transformed } = ts.transform(declaration, [
    (context) => {
      const visit = (node) => {
        if (ts.isClassElement(node) && isPrivate(node)) return undefined;
        if (ts.isPropertySignature(node) && isProse(node.type))
          return context.factory.updatePropertySignature(
            node,
            node.modifiers,
            node.name,
            node.questionToken,
            aString(),
          );
        if (ts.isImportTypeNode(node) && node.qualifier !== undefined && !node.isTypeOf && isRelative(node))
          return context.factory.createTypeReferenceNode(node.qualifier, ts.visitNodes(node.typeArguments, visit));
        return ts.visitEachChild(node, visit, context);
      };
      return visit;
    },
  ]);
  return transformed[0];
}

function isPrivate(member) {
  return (
    (member.name !== undefined && ts.isPrivateIdentifier(member.name)) ||
    member.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.PrivateKeyword)
  );
}

/** A text that is typed as itself: wording, which may change at any time. */
function isProse(type) {
  return ts.isLiteralTypeNode(type) && ts.isStringLiteral(type.literal) && /\s/.test(type.literal.text);
}

function aString() {
  return ts.factory.createKeywordTypeNode(ts.SyntaxKind.StringKeyword);
}

function isRelative({ argument }) {
  return (
    ts.isLiteralTypeNode(argument) && ts.isStringLiteral(argument.literal) && argument.literal.text.startsWith('.')
  );
}

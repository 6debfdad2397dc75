import { Calibration, ModelCalibration } from '../../core/tokens/calibration';

describe('the calibration of a model', () => {
  it('starts from its family', () => {
    const model = new Calibration().of('claude-sonnet-4-5');
    expect(model.name).toBe('claude-sonnet-4-5');
    expect(model.rates).toEqual([1.2, 25, 0]);
    expect(model.reasoning).toBe('kept');
    expect(new Calibration().of('gpt-5').rates).toEqual([1, 7, 0]);
    expect(new Calibration().of('gpt-5').reasoning).toBe('dropped');
  });

  it('is one for all that ask for the model, and one for those without a name', () => {
    const calibration = new Calibration();
    expect(calibration.of('gpt-5')).toBe(calibration.of('gpt-5'));
    expect(calibration.of('gpt-5')).not.toBe(calibration.of('gpt-4o'));
    expect(calibration.of(undefined)).toBe(calibration.of(''));
  });

  it('weighs opaque reasoning at 0.17 tokens a character until it learns better', () => {
    expect(new ModelCalibration('gpt-5').opaque.expect([1000, 1])).toBe(170);
  });

  it('remembers the newest fixed parts', () => {
    const model = new ModelCalibration('gpt-5');
    for (let at = 0; at < 40; at++) model.keepFixedPart(`prompt-${at}`, at);
    expect(model.fixedPart('prompt-7')).toBeUndefined();
    expect(model.fixedPart('prompt-8')).toBe(8);
    expect(model.fixedPart('prompt-39')).toBe(39);
    model.keepFixedPart('prompt-8', 80);
    model.keepFixedPart('another', 1);
    expect(model.fixedPart('prompt-8')).toBe(80);
    expect(model.fixedPart('prompt-9')).toBeUndefined();
  });
});

describe('a calibration profile', () => {
  const learnt = (): Calibration => {
    const calibration = new Calibration();
    const model = calibration.of('gpt-5');
    model.text.observe([1000, 4, 1], 1300);
    model.opaque.observe([2000, 1], 250);
    model.reasoning = 'kept';
    model.keepFixedPart('digest', 4321);
    calibration.of('__proto__').keepFixedPart('__proto__', 5);
    return calibration;
  };
  const kept = (): { models: Record<string, Record<string, unknown>> } =>
    JSON.parse(JSON.stringify(learnt().profile()));

  it('survives JSON', () => {
    const restored = new Calibration();
    expect(restored.restore(kept())).toEqual([]);
    expect(restored.profile()).toEqual(learnt().profile());
    expect(restored.of('gpt-5').fixedPart('digest')).toBe(4321);
    expect(restored.of('gpt-5').reasoning).toBe('kept');
    expect(restored.of('__proto__').fixedPart('__proto__')).toBe(5);
    expect(({} as Record<string, unknown>).fixed).toBeUndefined();
  });

  it.each([
    undefined,
    null,
    'text',
    {},
    { schema: 'pith.calibration/2', models: {} },
    { schema: 'pith.calibration/1' },
    { schema: 'pith.calibration/1', models: null },
  ])('of another kind is refused as a whole: %j', (profile) => {
    const restored = new Calibration();
    expect(restored.restore(profile)).toEqual(['*']);
    expect(restored.profile().models).toEqual({});
  });

  it.each([
    ['text', null],
    [
      'text',
      {
        rates: [9, 7, 0],
        covariance: [
          [1, 0, 0],
          [0, 1, 0],
          [0, 0, 1],
        ],
      },
    ],
    ['opaque', { rates: [0.17], covariance: [[1]] }],
    ['reasoning', 'sometimes'],
    ['fixed', null],
    ['fixed', 'text'],
    ['fixed', { a: -1 }],
    ['fixed', { a: 'x' }],
    ['fixed', { a: 1e300 }],
    ['fixed', { a: null }],
    ['fixed', Object.fromEntries(Array.from({ length: 33 }, (_, at) => [`k${at}`, 1]))],
  ])('refuses a model whose %s is %j, by name, and takes the others', (part, value) => {
    const profile = kept();
    Object.assign(profile.models['gpt-5'] as object, { [part]: value });
    const restored = new Calibration();
    expect(restored.restore(profile)).toEqual(['gpt-5']);
    expect(restored.of('gpt-5').rates).toEqual([1, 7, 0]);
    expect(restored.of('__proto__').fixedPart('__proto__')).toBe(5);
  });

  it('refuses a model that is no object', () => {
    const restored = new Calibration();
    expect(restored.restore({ schema: 'pith.calibration/1', models: { m: null, n: 4 } })).toEqual(['m', 'n']);
  });

  it('takes a fixed part of nothing', () => {
    const profile = kept();
    Object.assign(profile.models['gpt-5'] as object, { fixed: { empty: 0 } });
    expect(new Calibration().restore(profile)).toEqual([]);
  });
});

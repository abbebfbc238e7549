// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// The replay page: what runs on the graphics card.
#include "viewer/page_source.h"

namespace cenic::detail {

const std::string_view kPageShaders = R"js(
const VERTEX = `#version 300 es
layout(location = 0) in vec3 position;
layout(location = 1) in vec3 normal;
uniform mat4 model, viewProjection, lightMatrix;
out vec3 local, world, worldNormal;
out vec4 inLight;
void main() {
  vec4 p = model * vec4(position, 1.0);
  local = position;
  world = p.xyz;
  worldNormal = mat3(model) * normal;
  inLight = lightMatrix * vec4(p.xyz + 0.004 * worldNormal, 1.0);
  gl_Position = viewProjection * p;
}`;

// Sunlight with soft-edged shadows, light from above and below, and a shine. Patterns make turning visible.
const FRAGMENT = `#version 300 es
precision highp float;
precision highp sampler2DShadow;
in vec3 local, world, worldNormal;
in vec4 inLight;
uniform vec4 color;
uniform vec3 eye, sun, size, center;
uniform int pattern;      // 0 plain, 1 ball, 2 box, 3 ground, 4 wall
uniform float grid, fade; // of the ground: distance of lines; radius at which it ends, 0: never
uniform float dark;       // 1 in a dark theme
uniform sampler2DShadow shadows;
out vec4 result;

float calcLight() {
  vec3 p = inLight.xyz / inLight.w * 0.5 + 0.5;
  if (any(lessThan(p, vec3(0.0))) || any(greaterThan(p, vec3(1.0)))) return 1.0;
  float texel = 1.0 / float(textureSize(shadows, 0).x), sum = 0.0;
  for (int i = -2; i <= 2; ++i)
    for (int j = -2; j <= 2; ++j) sum += texture(shadows, vec3(p.xy + 1.2 * texel * vec2(i, j), p.z - 0.0006));
  return sum / 25.0;
}
float calcLine(vec2 uv, float width) {
  vec2 d = abs(fract(uv - 0.5) - 0.5) / fwidth(uv);
  return 1.0 - clamp(min(d.x, d.y) / width, 0.0, 1.0);
}
vec3 paint(vec3 base) {
  if (pattern == 1) {
    vec3 s = sign(local);
    return base * (s.x * s.y * s.z > 0.0 ? 1.0 : 0.80);
  }
  if (pattern == 2) {
    vec3 d = size - abs(local);
    float edge = max(min(d.x, d.y), min(max(d.x, d.y), d.z));
    float width = 0.05 * min(size.x, min(size.y, size.z));
    return mix(base * 1.12, base, smoothstep(0.5 * width, width + fwidth(edge), edge));
  }
  return base;
}
void main() {
  vec3 n = normalize(worldNormal), toEye = normalize(eye - world);
  if (pattern >= 3 && dot(n, toEye) < 0.0) n = -n;
  vec3 base = paint(pow(color.rgb, vec3(2.2)));
  float alpha = color.a, lit = calcLight();
  if (pattern == 3) {
    if (dark > 0.5) base *= 0.16;
    vec2 uv = local.xy / grid;
    float line = 0.5 * calcLine(uv, 1.3) + 0.5 * calcLine(uv / 5.0, 1.6);
    base = mix(base, dark > 0.5 ? base * 2.6 : base * 0.62, 0.75 * line);
    if (fade > 0.0) alpha *= 1.0 - smoothstep(0.25, 1.0, length(world - center) / fade);
  }
  float sunny = max(dot(n, sun), 0.0) * lit;
  float sky = 0.5 + 0.5 * n.z;
  vec3 light = vec3(1.30, 1.24, 1.14) * sunny + mix(vec3(0.20, 0.19, 0.19), vec3(0.44, 0.48, 0.55), sky);
  vec3 shaded = base * light * 0.82;
  if (pattern < 3) {
    vec3 h = normalize(sun + toEye);
    shaded += 0.14 * pow(max(dot(n, h), 0.0), 40.0) * lit;
    shaded += 0.10 * base * pow(1.0 - max(dot(n, toEye), 0.0), 3.0);
  }
  result = vec4(pow(shaded, vec3(1.0 / 2.2)), alpha);
}`;

const SHADOW_VERTEX = `#version 300 es
layout(location = 0) in vec3 position;
uniform mat4 model, viewProjection;
void main() { gl_Position = viewProjection * model * vec4(position, 1.0); }`;
const SHADOW_FRAGMENT = `#version 300 es
precision mediump float;
void main() {}`;
const LINE_FRAGMENT = `#version 300 es
precision mediump float;
uniform vec4 color;
out vec4 result;
void main() { result = color; }`;
)js";

}  // namespace cenic::detail

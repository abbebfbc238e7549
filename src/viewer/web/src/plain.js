// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Plain drawing, for machines that draw slowly: light by the corners of triangles, and nothing but
// interpolation (and a picture) for the pixels between. Instances are written out into one mesh (MANY): where the
// processor draws, each instance costs as much as a draw call.
import {BufferAttribute, BufferGeometry, DataTexture, FloatType, LinearMipmapNearestFilter, Mesh, NoColorSpace, RGBAFormat,
        ShaderMaterial} from 'three';

const ROW = 64;  // matrices in a row of the texture that holds them

const VERTEX = `
  #include <colorspace_pars_fragment>
  uniform vec3 sunWay, sun, sky, ground;
  varying vec3 shade;
  #ifdef MANY
    uniform highp sampler2D poses;
    attribute float instance;
    attribute vec3 tint;
    vec4 column(int i) {
      int at = int(instance);
      return texelFetch(poses, ivec2(4 * (at % ${ROW}) + i, at / ${ROW}), 0);
    }
  #else
    uniform vec3 tint;
  #endif
  #ifdef PICTURE
    uniform mat3 place;
    varying vec2 spot;
  #endif
  void main() {
    vec3 color = tint;
    #ifdef MANY
      mat4 pose = mat4(column(0), column(1), column(2), column(3));
    #elif defined(USE_INSTANCING)
      mat4 pose = instanceMatrix;
      color *= instanceColor;
    #else
      mat4 pose = modelMatrix;
    #endif
    mat3 turn = mat3(pose);
    vec3 n = normalize(turn * (normal / vec3(dot(turn[0], turn[0]), dot(turn[1], turn[1]), dot(turn[2], turn[2]))));
    vec3 light = mix(ground, sky, 0.5 * n.z + 0.5) + sun * max(dot(n, sunWay), 0.0);
    shade = sRGBTransferOETF(vec4(color * light, 1.0)).rgb;
    #ifdef PICTURE
      spot = (place * vec3(uv, 1.0)).xy;
    #endif
    gl_Position = projectionMatrix * (viewMatrix * (pose * vec4(position, 1.0)));
  }`;

// Products of encoded colours are nearly the encoded product, and save decoding.
const FRAGMENT = `
  uniform float opacity;
  varying vec3 shade;
  #ifdef PICTURE
    uniform sampler2D picture;
    varying vec2 spot;
  #endif
  void main() {
    gl_FragColor = vec4(shade, opacity);
    #ifdef PICTURE
      gl_FragColor *= texture2D(picture, spot);
    #endif
  }`;

// Like `material` as far as that goes: its opacity, colour and picture. `light` is that of the stage, `poses` the
// texture of written out instances.
export function makePlainMaterial(material, light, poses = null) {
  const {opacity, transparent, depthWrite} = material;
  const plain = new ShaderMaterial({
    vertexShader: VERTEX, fragmentShader: FRAGMENT, transparent, depthWrite,
    uniforms: {...light, opacity: {value: opacity}, ...(poses ? {poses: {value: poses}} : {tint: {value: material.color}})},
    defines: poses ? {MANY: ''} : {},
  });
  setPicture(plain, material.map);
  return plain;
}

// The picture of a plain material: null for none.
export function setPicture(plain, map) {
  delete plain.defines.PICTURE;
  plain.needsUpdate = true;
  if (!map) return;
  map.updateMatrix();
  plain.defines.PICTURE = '';
  Object.assign(plain.uniforms, {picture: {value: findTwin(map)}, place: {value: map.matrix}});
}

// The same picture for plain drawing: as it is encoded, and not sharpened for looks from the side.
const twins = new WeakMap();
function findTwin(map) {
  if (twins.has(map)) return twins.get(map);
  const twin = map.clone();
  twin.colorSpace = NoColorSpace;
  twin.anisotropy = 1;
  twin.minFilter = LinearMipmapNearestFilter;
  twin.version = map.version;  // 0 while it is loaded
  twins.set(map, twin);
  return twin;
}

// A picture was loaded.
export function refreshPicture(map) {
  const twin = twins.get(map);
  if (twin) twin.needsUpdate = true;
}

// Room for that many instances in whole rows of the texture.
export const roundUp = (count) => ROW * Math.ceil(count / ROW);

// All instances of an instanced mesh (with roundUp(count) matrices) in one; they look as `geometry`.
export function writeOut(instanced, geometry, light) {
  const {count, instanceMatrix, instanceColor} = instanced;
  const poses = new DataTexture(instanceMatrix.array, 4 * ROW, instanceMatrix.count / ROW, RGBAFormat, FloatType);
  poses.needsUpdate = true;
  const out = new BufferGeometry(), {position} = geometry.attributes;
  const repeat = (numbers, size) => {
    const all = new numbers.constructor(count * numbers.length);
    for (let i = 0; i < count; ++i) all.set(numbers, i * numbers.length);
    return new BufferAttribute(all, size);
  };
  for (const name of ['position', 'normal', 'uv']) {
    const attribute = geometry.attributes[name];
    if (attribute) out.setAttribute(name, repeat(attribute.array, attribute.itemSize));
  }
  const instance = new Float32Array(count * position.count), tint = new Float32Array(3 * instance.length);
  for (let i = 0; i < instance.length; ++i) {
    instance[i] = Math.floor(i / position.count);
    tint.set(instanceColor.array.subarray(3 * instance[i], 3 * instance[i] + 3), 3 * i);
  }
  out.setAttribute('instance', new BufferAttribute(instance, 1));
  out.setAttribute('tint', new BufferAttribute(tint, 3));
  const corners = geometry.index?.array ?? Uint32Array.from({length: position.count}, (_, i) => i);
  const index = new Uint32Array(count * corners.length);
  for (let i = 0; i < index.length; ++i) {
    index[i] = corners[i % corners.length] + position.count * Math.floor(i / corners.length);
  }
  out.setIndex(new BufferAttribute(index, 1));
  const mesh = new Mesh(out, makePlainMaterial(instanced.material, light, poses));
  mesh.frustumCulled = false;
  return mesh;
}

export function eraseWritten({geometry, material}) {
  geometry.dispose();
  material.uniforms.poses.value.dispose();
  material.dispose();
}

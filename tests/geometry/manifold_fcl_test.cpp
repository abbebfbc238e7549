// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// The Flexible Collision Library as a second, independent opinion: separation of every bounded
// pair, and depth where FCL has closed forms. Faces taken by the face bias are up to 0.1 mm further
// than the closest point.
#include <fcl/fcl.h>
#include <gtest/gtest.h>

#include "geometry/samples.h"

namespace cenic {
namespace {

using test::Random;
using FclShape = std::shared_ptr<fcl::CollisionGeometryd>;

FclShape to_fcl(const Shape& shape) {
  const Vec3& s = shape.size;
  switch (shape.kind) {
    case ShapeKind::kSphere:
      return std::make_shared<fcl::Sphered>(s.x);
    case ShapeKind::kBox:
      return std::make_shared<fcl::Boxd>(2 * s.x, 2 * s.y, 2 * s.z);
    case ShapeKind::kCylinder:
      return std::make_shared<fcl::Cylinderd>(s.x, 2 * s.z);
    case ShapeKind::kCapsule:
      return std::make_shared<fcl::Capsuled>(s.x, 2 * s.z);
    case ShapeKind::kEllipsoid:
      return std::make_shared<fcl::Ellipsoidd>(s.x, s.y, s.z);
    case ShapeKind::kHalfSpace:
      return std::make_shared<fcl::Halfspaced>(fcl::Vector3d(0, 0, 1), 0);
    case ShapeKind::kConvex:
    case ShapeKind::kHeightField:
    case ShapeKind::kSurface:
      break;
  }
  const ConvexHull& hull = *shape.hull;
  auto vertices = std::make_shared<std::vector<fcl::Vector3d>>();
  for (const Vec3& v : hull.vertices) {
    vertices->emplace_back(v.x, v.y, v.z);
  }
  auto faces = std::make_shared<std::vector<int>>();
  const int num_faces = static_cast<int>(hull.face_normals.size());
  for (int f = 0; f < num_faces; ++f) {
    faces->push_back(hull.face_start[f + 1] - hull.face_start[f]);
    for (int k = hull.face_start[f]; k < hull.face_start[f + 1]; ++k) {
      faces->push_back(hull.face_vertices[k]);
    }
  }
  return std::make_shared<fcl::Convexd>(vertices, num_faces, faces);
}

fcl::Transform3d to_fcl(const RigidTransform& X) {
  fcl::Transform3d T = fcl::Transform3d::Identity();
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      T.linear()(i, j) = X.R(i, j);
    }
    T.translation()[i] = X.p[i];
  }
  return T;
}

double fcl_distance(const fcl::CollisionObjectd& a, const fcl::CollisionObjectd& b) {
  fcl::DistanceRequestd request;
  request.gjk_solver_type = fcl::GST_LIBCCD;
  request.distance_tolerance = 1e-9;
  request.enable_nearest_points = true;
  fcl::DistanceResultd result;
  fcl::distance(&a, &b, request, result);
  return result.min_distance;
}

TEST(Fcl, DistancesOfSeparatedPairsAgree) {
  Random random(31);
  int compared = 0;
  for (int ka = 0; ka < kNumShapeKinds; ++ka) {
    for (int kb = ka; kb < kNumShapeKinds; ++kb) {
      const ShapeKind a = static_cast<ShapeKind>(ka), b = static_cast<ShapeKind>(kb);
      if (a == ShapeKind::kHalfSpace || b == ShapeKind::kHalfSpace) continue;
      // Boxes report the gap along an axis.
      if (a == ShapeKind::kBox && b == ShapeKind::kBox) continue;
      for (int i = 0; i < 25; ++i) {
        const Shape A = test::random_shape(a, &random, 0.6),
                    B = test::random_shape(b, &random, 0.6);
        const RigidTransform X_WA = random.pose(0.1);
        RigidTransform X_WB = random.pose(0);
        X_WB.p = random.uniform(1.0, 2.0) * random.direction();
        Manifold m;
        calc_manifold(A, X_WA, B, X_WB, {.margin = 10}, &m);
        ASSERT_GT(m.count, 0);
        const double phi = test::least_phi(m);
        if (phi < 0.02) continue;
        const fcl::CollisionObjectd fa(to_fcl(A), to_fcl(X_WA)), fb(to_fcl(B), to_fcl(X_WB));
        EXPECT_NEAR(phi, fcl_distance(fa, fb), 1.2e-4)
            << to_string(a) << " " << to_string(b) << " " << i;
        ++compared;
      }
    }
  }
  EXPECT_GT(compared, 300);
}

struct FclContact {
  double depth = 0;
  Vec3 normal;
};

bool fcl_contact(const fcl::CollisionObjectd& a, const fcl::CollisionObjectd& b,
                 FclContact* deepest) {
  fcl::CollisionRequestd request(100, true);
  fcl::CollisionResultd result;
  fcl::collide(&a, &b, request, result);
  for (std::size_t k = 0; k < result.numContacts(); ++k) {
    const auto& contact = result.getContact(k);
    if (contact.penetration_depth > deepest->depth) {
      deepest->depth = contact.penetration_depth;
      deepest->normal = {contact.normal[0], contact.normal[1], contact.normal[2]};
    }
  }
  return result.isCollision();
}

TEST(Fcl, DepthAndNormalAgreeWhereFclHasClosedForms) {
  Random random(32);
  const std::pair<ShapeKind, ShapeKind> pairs[] = {{ShapeKind::kSphere, ShapeKind::kSphere},
                                                   {ShapeKind::kSphere, ShapeKind::kBox},
                                                   {ShapeKind::kSphere, ShapeKind::kCylinder},
                                                   {ShapeKind::kSphere, ShapeKind::kCapsule},
                                                   {ShapeKind::kBox, ShapeKind::kBox},
                                                   {ShapeKind::kSphere, ShapeKind::kHalfSpace},
                                                   {ShapeKind::kBox, ShapeKind::kHalfSpace},
                                                   {ShapeKind::kCapsule, ShapeKind::kHalfSpace},
                                                   {ShapeKind::kEllipsoid, ShapeKind::kHalfSpace}};
  for (const auto& [a, b] : pairs) {
    int compared = 0;
    for (int i = 0; i < 200; ++i) {
      const Shape A = test::random_shape(a, &random), B = test::random_shape(b, &random);
      const RigidTransform X_WA = random.pose(0.1), X_WB = random.pose(1);
      Manifold m;
      calc_manifold(A, X_WA, B, X_WB, {.face_bias = false}, &m);
      const fcl::CollisionObjectd fa(to_fcl(A), to_fcl(X_WA)), fb(to_fcl(B), to_fcl(X_WB));
      FclContact contact;
      const bool collides = fcl_contact(fa, fb, &contact);
      EXPECT_EQ(m.count > 0 && test::least_phi(m) < 0, collides)
          << to_string(a) << " " << to_string(b) << " " << i;
      // Beyond a third of a size the least deep direction is a matter of taste in FCL's special
      // cases.
      if (!collides || test::least_phi(m) < -0.2) continue;
      // FCL prefers faces to edges by a factor of its own; only where both take the same normal
      // depths compare.
      if (a == ShapeKind::kBox && b == ShapeKind::kBox &&
          norm(contact.normal - m.nhat_AB_W) > 1e-6) {
        continue;
      }
      EXPECT_NEAR(-test::least_phi(m), contact.depth, 1e-6)
          << to_string(a) << " " << to_string(b) << " " << i;
      EXPECT_LT(norm(contact.normal - m.nhat_AB_W), 1e-5)
          << to_string(a) << " " << to_string(b) << " " << i;
      ++compared;
    }
    EXPECT_GT(compared, 10) << to_string(a) << " " << to_string(b);
  }
}

}  // namespace
}  // namespace cenic
